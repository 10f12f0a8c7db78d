"""Kinds of values under MXNet's names, for programs that test with them what they were given."""

from typing import Any

import numpy as np

__all__ = [
    "as_list",
    "integer_types",
    "mx_real_t",
    "numeric_types",
    "string_types",
]

integer_types = (int, np.int32, np.int64)
numeric_types = (float, int, np.generic)
string_types = (str,)
#: The element type of arrays for which a program asks no other.
mx_real_t = np.float32


def as_list(obj: Any) -> Any:
    """Return a list or tuple as it is, and anything else in a list of its own."""
    return obj if isinstance(obj, list | tuple) else [obj]
