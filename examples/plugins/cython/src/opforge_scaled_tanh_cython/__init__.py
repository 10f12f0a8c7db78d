"""Operator scaled_tanh, implemented in Cython."""
