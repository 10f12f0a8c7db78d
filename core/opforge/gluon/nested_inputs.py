"""Checks of block inputs, which may be nested lists of arrays or symbols."""

from typing import Any

import numpy as np

from ..base.context import Context
from ..native.array import Array
from ..ndarray import NDArray

__all__ = ["first_context", "has", "is_for_no_graph"]


def has(kind: type, value: Any) -> bool:
    """Tell whether nested `value` has an array, or a symbol: then a graph is composed."""
    return isinstance(value, kind) or (
        isinstance(value, list | tuple) and any(has(kind, item) for item in value)
    )


def is_for_no_graph(value: Any) -> bool:
    """Tell whether nested `value` has an array that compiled graphs do not take.

    Such are sparse arrays, and those without elements or axes: 0 and () mean unknown.
    """
    if isinstance(value, list | tuple):
        return any(is_for_no_graph(item) for item in value)
    return isinstance(value, NDArray) and (
        value.size == 0 or not value.shape or not isinstance(value, Array)
    )


def first_context(values: Any) -> Context:
    """Return the context of the first array in nested `values`."""
    pending = list(values)
    while pending:
        value = pending.pop(0)
        if isinstance(value, NDArray):
            return value.context
        if isinstance(value, list | tuple):
            pending[:0] = value
    first = values[0]
    shown = f" of shape {first.shape}" if isinstance(first, np.ndarray) else ""
    raise ValueError(
        f"HybridBlock requires NDArray inputs, but got {type(first).__name__}{shown}; pass "
        "nd.array(x)"
    )
