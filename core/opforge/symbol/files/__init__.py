"""Graphs in files: MXNet's JSON, and the bill of materials that goes with it."""
