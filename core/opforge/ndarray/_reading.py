"""``x[key]``: views where the elements lie side by side, copies elsewhere; both differentiable."""

from typing import Any

import numpy as np

from ..native import calls, tape
from ..native.array import Array, empty, from_numpy
from ._indexing import Plan, advanced_key, is_advanced, linear_indices, plan_basic
from ._operators import operators

__all__ = ["read", "recorded_view"]

_INT64 = 6


def read(x: Array, key: Any) -> Any:
    """Return the elements of `x` that `key` names."""
    # Rows by an int or a plain slice are most of all reads: they need no plan.
    if (type(key) is int or type(key) is slice) and not tape.recording():
        rows = x.shape[0] if x.shape else 0
        part = _rows(x, key, rows) if rows else None
        if part is not None:
            return part
    if is_advanced(key):
        return _gather(x, key)
    if (isinstance(key, tuple) and not key) or (isinstance(key, slice) and key == slice(None)):
        return x
    if x.ndim == 0:
        if key is Ellipsis:
            return x
        raise IndexError("scalar tensor can only accept `()` and `:` as index")
    plan = plan_basic(key, x.shape)
    if plan.offset >= 0:
        return _view(x, plan)
    nd = operators()
    return nd.slice(x, plan.begin, plan.end, plan.step).reshape(plan.shape)


def recorded_view(x: Array, offset: int, shape: tuple[int, ...], backward: Any) -> Array:
    """Return a view of `x` that leads back to it on the tape, through ``backward(grad)``."""
    result = x._view(offset, shape)
    if tape.recording() and tape.in_graph(x):
        tape.record_callback((x,), [result], lambda grads: [backward(grads[0])])
    return result


def _rows(x: Array, key: int | slice, rows: int) -> Array | None:
    """Return the view of one row or of rows side by side; None: the plan settles it."""
    width = x.size // rows
    if type(key) is int:
        if -rows <= key < rows:
            return x._view((key + rows if key < 0 else key) * width, x.shape[1:] or (1,))
        return None
    assert isinstance(key, slice)
    if key.step not in (None, 1) or (key.start is None and key.stop is None):
        return None
    start, stop, _ = key.indices(rows)
    return x._view(start * width, (max(stop - start, 0), *x.shape[1:]))


def _view(x: Array, plan: Plan) -> Array:
    def backward(grad: Any) -> Any:
        nd = operators()
        part = grad.reshape(plan.length)
        return nd._backward_slice(part, x, plan.begin, plan.end, plan.step)

    return recorded_view(x, plan.offset, plan.shape, backward)


def _gather(x: Array, key: Any) -> Array:
    """Copy the elements that an advanced key names."""
    indices = linear_indices(advanced_key(key, x.shape), x.shape)
    shape = np.shape(indices) or (1,)
    positions = from_numpy(np.atleast_1d(indices), _INT64, x.context)
    if tape.recording() and tape.in_graph(x):
        nd = operators()
        return nd.take(x.reshape((-1,)), positions)
    result = empty(shape, x.dtype_code, x.context)
    if result.size:
        calls.take(x._view(0, (x.size,)), positions, result, 0, "clip")
    return result
