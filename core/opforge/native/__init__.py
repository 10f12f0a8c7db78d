"""Layer 1: the Cython core, in rooms; a room imports from those before it.

From the ground up: memory, threads, kernels, loops, array, calls, dispatch, graph, abi.
"""
