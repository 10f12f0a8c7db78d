"""Memory for array elements: the pool, element types, and NumPy arrays in pool memory."""
