"""Recurrent cells, each of which computes one step as a composition of operators.

A cell is called step by step, or `unroll` runs complete sequences, on arrays and on symbols.
"""
