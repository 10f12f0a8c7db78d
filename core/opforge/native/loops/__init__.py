"""Loops over strided memory that call kernels: any type, any layout, any number of threads."""
