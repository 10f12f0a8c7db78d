"""MXNet's tuples of types for ``isinstance`` checks."""

from typing import Any

import numpy as np

__all__ = [
    "as_list",
    "integer_types",
    "mx_real_t",
    "numeric_types",
    "py_slice",
    "string_types",
]

integer_types = (int, np.int32, np.int64)
numeric_types = (float, int, np.generic)
string_types = (str,)
#: Python's class, which modules of MXNet hide by an operator of the same name.
py_slice = slice
#: Default element type of arrays.
mx_real_t = np.float32


def as_list(obj: Any) -> Any:
    """Return a list or tuple unchanged, and any other object wrapped in a list."""
    return obj if isinstance(obj, list | tuple) else [obj]
