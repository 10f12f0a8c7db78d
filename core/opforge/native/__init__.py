"""Layer 1: the Cython core, in rooms; a room imports from those before it.

From the ground up: memory, threads, kernels, loops, array, calls, dispatch, graph, abi.
"""

import sys as _sys

# A Python without its global lock takes the lock back with the first extension that needs it.
from .threads import cpu as _cpu  # noqa: F401

if not getattr(_sys, "_is_gil_enabled", lambda: True)():
    raise ImportError(
        "opforge's memory pool relies on Python's global lock, which this Python was told to leave "
        "off; unset PYTHON_GIL, and start it without -X gil=0"
    )
