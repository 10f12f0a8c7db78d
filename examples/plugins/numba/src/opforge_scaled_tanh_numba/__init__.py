"""Operator scaled_tanh, compiled by Numba."""
