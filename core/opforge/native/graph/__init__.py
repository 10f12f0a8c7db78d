"""Compiled graphs: programs, their steps, and calls of them."""
