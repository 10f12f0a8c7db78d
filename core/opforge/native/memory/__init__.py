"""Memory of elements: element types, the pool, and NumPy's arrays in its memory."""
