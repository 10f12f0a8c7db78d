"""Rules for reductions, and for indices of extremes, of the core."""

from typing import Any

import numpy as np

from ..exporting.call import Call

__all__ = [
    "argmax",
    "argmax_channel",
    "argmin",
    "maximum",
    "mean",
    "minimum",
    "nan_product",
    "nan_total",
    "norm",
    "product",
    "total",
    "total_of_squares",
]


def _axes(prop: Any, rank: int) -> list[int]:
    """Return the axes that are reduced, as MXNet reads `axis` and `exclude`."""
    axis = prop.axis
    given = [axis] if isinstance(axis, int) else list(axis or ())
    chosen = sorted({item % rank for item in given})
    if getattr(prop, "exclude", False):
        return [item for item in range(rank) if item not in chosen]
    return chosen or list(range(rank))


def _with_scalar_shape(call: Call, found: str, all_reduced: bool, keepdims: bool) -> str:
    """Return a result in MXNet's shape: that of a scalar is (1,)."""
    if all_reduced and not keepdims and call.outputs[0].shape == (1,):
        return str(call.node("Unsqueeze", found, call.integers(0)))
    return found


def _reduce_all(prop: Any, call: Call, kind: str, data: Any = None) -> str:
    """Return the reduction over the axes of a declaration, by default of the first input."""
    rank = len(call.inputs[0].shape)
    axes = _axes(prop, rank)
    found = call.reduce(kind, data or call.inputs[0], *axes, keepdims=prop.keepdims)
    return _with_scalar_shape(call, found, len(axes) == rank, prop.keepdims)


def total(prop: Any, call: Call) -> str:
    """Translate sum."""
    return _reduce_all(prop, call, "ReduceSum")


def mean(prop: Any, call: Call) -> str:
    """Translate mean."""
    return _reduce_all(prop, call, "ReduceMean")


def maximum(prop: Any, call: Call) -> str:
    """Translate max."""
    return _reduce_all(prop, call, "ReduceMax")


def minimum(prop: Any, call: Call) -> str:
    """Translate min."""
    return _reduce_all(prop, call, "ReduceMin")


def product(prop: Any, call: Call) -> str:
    """Translate prod."""
    return _reduce_all(prop, call, "ReduceProd")


def total_of_squares(prop: Any, call: Call) -> str:
    """Translate _square_sum."""
    return _reduce_all(prop, call, "ReduceSumSquare")


def nan_total(prop: Any, call: Call) -> str:
    """Translate nansum."""
    return _reduce_all(prop, call, "ReduceSum", _without_nan(call, 0))


def nan_product(prop: Any, call: Call) -> str:
    """Translate nanprod."""
    return _reduce_all(prop, call, "ReduceProd", _without_nan(call, 1))


def _without_nan(call: Call, number: int) -> str:
    """Return the first input with a number instead of NaN."""
    data = call.inputs[0]
    return str(call.node("Where", call.node("IsNaN", data), call.constant(number), data))


def norm(prop: Any, call: Call) -> str:
    """Translate norm of order 1 or 2."""
    rank = len(call.inputs[0].shape)
    axis = prop.axis
    given = [axis] if isinstance(axis, int) else list(axis or range(rank))
    kind = {1: "ReduceL1", 2: "ReduceL2"}[prop.ord]
    found = call.reduce(
        kind, call.inputs[0], *(item % rank for item in given), keepdims=prop.keepdims
    )
    return _with_scalar_shape(call, found, len(given) == rank, prop.keepdims)


def argmax(prop: Any, call: Call) -> str:
    """Translate argmax, whose indices MXNet gives in another dtype."""
    return _index(prop, call, "ArgMax")


def argmin(prop: Any, call: Call) -> str:
    """Translate argmin, whose indices MXNet gives in another dtype."""
    return _index(prop, call, "ArgMin")


def _index(prop: Any, call: Call, kind: str) -> str:
    data: Any = call.inputs[0]
    axis, keepdims, rank = prop.axis, bool(prop.keepdims), len(call.inputs[0].shape)
    is_whole = axis is None
    if is_whole:  # of the flattened array
        data, axis = call.node("Reshape", data, call.integers(-1)), 0
    found = call.node(kind, data, axis=axis, keepdims=int(keepdims))
    if is_whole and keepdims:
        found = call.node("Reshape", found, call.integers(*[1] * rank))
    found = _with_scalar_shape(call, found, is_whole or rank == 1, keepdims)
    return call.cast(found, call.outputs[0].dtype)


def argmax_channel(prop: Any, call: Call) -> str:
    """Translate argmax over the second axis."""
    found = call.node("ArgMax", call.inputs[0], axis=1, keepdims=0)
    return call.cast(found, np.dtype(call.outputs[0].dtype))
