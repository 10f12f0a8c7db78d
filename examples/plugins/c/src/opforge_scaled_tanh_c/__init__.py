"""Operator scaled_tanh, implemented in C."""
