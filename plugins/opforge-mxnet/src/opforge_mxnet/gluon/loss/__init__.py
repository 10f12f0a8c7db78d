"""Losses of MXNet that the core lacks."""
