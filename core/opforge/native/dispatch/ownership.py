"""`converted` and `store`, which reuse the memory of temporaries if reference counts are reliable.

In CPython 3.11 to 3.13 every reference is counted, including those on the evaluation stack, so the
count of an argument shows whether the caller's parameter is its only reference. Later versions and
free-threaded builds skip some counts, and other interpreters have none: there everything is copied.
"""

import sys

from .temporaries import converted, references, store, trust_references

__all__ = ["converted", "store"]


def _counts_are_exact() -> bool:
    return (
        sys.implementation.name == "cpython"
        and sys.version_info < (3, 14)
        and "t" not in sys.abiflags  # a free-threaded build
    )


def _parameter_references(value: object) -> int:
    """Return the number of references that a call from here adds to a parameter."""
    return int(references(value, None, None))


trust_references(_parameter_references(object()) if _counts_are_exact() else None)
