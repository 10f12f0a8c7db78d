"""MXNet's first protocol for operators in Python; aliases of `opforge.operator`."""
