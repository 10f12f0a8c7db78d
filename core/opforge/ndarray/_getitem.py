"""``x[key]``: views of contiguous elements, copies of others; both are differentiable."""

from typing import Any, TypeVar

import numpy as np

from ..native import calls
from ..native.array import Array, as_class, empty, from_numpy
from ..native.dispatch import tape
from ..native.dispatch.basic_indexing import (
    are_positions,
    read_adjacent,
    read_rows,
    row_positions,
)
from ._indexing import (
    Plan,
    advanced_key,
    index_array,
    is_advanced,
    linear_indices,
    mask_of_first_axes,
    plan_basic,
    without_masks,
)
from ._masks import warn_of_masks
from ._operators import operators

__all__ = ["read", "recorded_view"]

_INT64 = 6

_Array = TypeVar("_Array", bound=Array)


def read(x: _Array, key: Any) -> _Array:
    """Return the selected elements as in NumPy; basic contiguous selections are views."""
    part = read_adjacent(x, key)
    if part is not None:
        return part
    if isinstance(key, Array):
        rows = read_rows(x, key)
        if rows is not None:
            return rows
    if is_advanced(key):
        warn_of_masks(key)
        mask = mask_of_first_axes(key, x.shape)
        if mask is not None:
            rows = x.reshape((-1, *x.shape[mask.ndim :]))
            return as_class(_gather(rows, np.flatnonzero(mask)), type(x))
        return as_class(_gather(x, without_masks(key, x.shape)), type(x))
    if (isinstance(key, tuple) and not key) or (isinstance(key, slice) and key == slice(None)):
        return x
    if x.ndim == 0:
        if key is Ellipsis:
            return x
        raise IndexError("scalar tensor can only accept `()` and `:` as index")
    plan = plan_basic(key, x.shape)
    if 0 in plan.length:
        return _empty(x, plan)
    if plan.offset >= 0:
        return _view(x, plan)
    nd = operators()
    return nd.slice(x, plan.begin, plan.end, plan.step).reshape(plan.shape)


def recorded_view(
    x: Array, offset: int, shape: tuple[int, ...], backward: Any, composition: Any
) -> Any:
    """Return a view of `x` that is connected to it on the tape, with gradient ``backward(grad)``.

    ``composition(symbol)`` is the view in a graph.
    """
    result = x._view(offset, shape)
    if _is_recorded(x):
        tape.record_callback((x,), [result], lambda grads: [backward(grads[0])], composition)
    return result


def _empty(x: Array, plan: Plan) -> Any:
    """Return no elements; the lengths of 0 would have another meaning as codes of `reshape`."""

    def composition(symbol: Any) -> Any:
        return symbol.slice(plan.begin, plan.end, plan.step).reshape(plan.shape)

    return recorded_view(x, 0, plan.shape, lambda grad: operators().zeros_like(x), composition)


def _is_recorded(x: Array) -> bool:
    return bool(tape.recording() and tape.in_graph(x))


def _view(x: Array, plan: Plan) -> Any:
    def backward(grad: Any) -> Any:
        nd = operators()
        part = grad.reshape(plan.length)
        return nd._backward_slice(part, x, plan.begin, plan.end, plan.step)

    def composition(symbol: Any) -> Any:
        return symbol.slice(plan.begin, plan.end, plan.step).reshape(plan.shape)

    return recorded_view(x, plan.offset, plan.shape, backward, composition)


def _gather(x: Array, key: Any) -> Any:
    """Copy the elements that an advanced key selects."""
    if isinstance(key, Array) and key.shape and x.shape and are_positions(key, x.shape[0]):
        return _gather_rows(x, key)
    if x.shape and not isinstance(key, tuple):
        rows = index_array(key)
        if rows.ndim:
            return _gather_rows(x, row_positions(rows, x.shape[0], x.context))
    indices = linear_indices(advanced_key(key, x.shape), x.shape)
    shape = np.shape(indices) or (1,)
    positions = from_numpy(np.atleast_1d(indices), _INT64, x.context)
    if _is_recorded(x):
        nd = operators()
        return nd.take(x.reshape((-1,)), positions)
    result = empty(shape, x.dtype_code, x.context)
    if result.size:
        calls.take(x._view(0, (x.size,)), positions, result, 0, "clip")
    return result


def _gather_rows(x: Array, positions: Array) -> Array:
    """Copy the rows at valid positions, an array of int64."""
    if _is_recorded(x):
        return operators().take(x, positions)
    result = empty(positions.shape + x.shape[1:], x.dtype_code, x.context)
    if result.size:
        calls.take(x, positions, result, 0, "clip")
    return result
