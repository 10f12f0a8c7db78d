"""Conversion of graphs to 8-bit integers."""
