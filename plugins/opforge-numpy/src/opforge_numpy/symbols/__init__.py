"""Symbols with NumPy's interface: what `sym.np`, `sym.npx` and hybrid blocks see."""
