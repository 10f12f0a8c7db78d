"""`converted` and `store`, which take over the memory of temporaries, once counts are understood.

In CPython 3.11 to 3.13 each reference counts, those of the evaluation stack too, so the count of an
argument tells whether its caller's parameter is all that names it. Later versions and builds
without the GIL leave counts out, and other interpreters have none: there everything is copied.
"""

import sys
import sysconfig

from .temporaries import converted, references, store, trust_references

__all__ = ["converted", "store"]


def _counts_are_exact() -> bool:
    return (
        sys.implementation.name == "cpython"
        and sys.version_info < (3, 14)
        and not sysconfig.get_config_var("Py_GIL_DISABLED")
    )


def _parameter_references(value: object) -> int:
    """Count what a call from here adds to the references of a parameter."""
    return int(references(value, None, None))


trust_references(_parameter_references(object()) if _counts_are_exact() else None)
