"""Optimizers that only MXNet programs use."""
