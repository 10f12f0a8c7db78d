"""Operator convolve, implemented in C."""
