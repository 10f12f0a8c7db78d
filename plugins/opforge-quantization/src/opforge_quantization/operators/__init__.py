"""Declarations of the operators on 8-bit integers."""
