"""Layer 1: the Cython core (buffer, array, engine, kernels, dispatch, tape)."""
