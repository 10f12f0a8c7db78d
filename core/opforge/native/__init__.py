"""Layer 1: the Cython core, in packages of which each imports only from those before it.

From the bottom up: memory, threads, kernels, loops, array, calls, dispatch, graph, abi.
"""

import sys as _sys

# Free-threaded Python enables its global lock when the first extension that needs it is imported.
from .threads import cpu as _cpu  # noqa: F401

if not getattr(_sys, "_is_gil_enabled", lambda: True)():
    raise ImportError(
        "opforge's memory pool relies on Python's global lock, which is disabled; "
        "unset PYTHON_GIL, and start Python without -X gil=0"
    )
