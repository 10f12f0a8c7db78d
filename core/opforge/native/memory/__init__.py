"""Where elements lie: element types, the pool, and NumPy's arrays in its memory."""
