"""Kernels compiled for the instruction set that this package is named after."""
