"""Checks, their runner, and the batteries for one operator and one layer."""
