"""Linear algebra by MXNet's names: products, factors, inverses, determinants, diagonals, triangles.

A plugin of opforge; nothing is imported before one of its operators is used.
"""
