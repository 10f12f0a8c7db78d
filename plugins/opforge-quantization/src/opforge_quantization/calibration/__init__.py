"""Ranges of the values of a network, from examples."""
