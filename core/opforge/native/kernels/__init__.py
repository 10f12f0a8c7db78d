"""Kernel sources; each is compiled once for every instruction set."""
