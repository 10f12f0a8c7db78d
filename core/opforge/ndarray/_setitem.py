"""``x[key] = value``: numbers, arrays and lists, broadcast and cast to the selected elements."""

from numbers import Real
from typing import Any

import numpy as np

from ..base.dtypes import CODES, is_numeric
from ..base.errors import OpforgeError
from ..native import calls
from ..native.array import Array, copy_into, from_numpy, numpy_alias
from ..native.dispatch import tape
from ..native.dispatch.basic_indexing import write_adjacent
from ._indexing import Plan, advanced_key, is_advanced, is_whole_mask, plan_basic
from ._masks import warn_of_masks
from ._operators import operators

__all__ = ["write"]


def write(x: Array, key: Any, value: Any) -> None:
    """Write `value`, broadcast and cast, to the selected elements.

    Raises
    ------
    OpforgeError
        `x` is part of a recorded graph, or `value` is and does not cover all of `x`.
    ValueError
        `value` does not broadcast to the selected elements.
    """
    if write_adjacent(x, key, value) or x.size == 0:
        return
    plan = None if is_advanced(key) else _plan(key, x.shape)
    if plan is None:
        warn_of_masks(key)
    if tape.recording() and isinstance(value, Array) and tape.in_graph(value):
        _write_recorded(x, plan, value)
    elif plan is None and _is_number(value) and is_whole_mask(key, x.shape):
        _write_masked(x, key, value)
    elif plan is None:
        _write_numpy(x, advanced_key(key, x.shape), value)
    elif _is_number(value):
        _write_number(x, plan, value)
    elif isinstance(value, Array):
        _write_array(x, plan, value)
    else:
        _write_numpy(x, _numpy_key(plan), value, plan)


def _is_number(value: Any) -> bool:
    return isinstance(value, (Real, np.number)) and not isinstance(value, (bool, np.bool_))


def _python_number(value: Any) -> int | float:
    value = value.item() if isinstance(value, np.generic) else value
    return value if isinstance(value, int) else float(value)


def _write_masked(x: Array, mask: Any, value: Any) -> None:
    """Write a number where a mask of all elements is true."""
    number = from_numpy(np.empty(1, numpy_alias(x).dtype), x.dtype_code, x.context)
    calls.fill(number, _python_number(value))
    condition = mask if isinstance(mask, Array) else from_numpy(mask, CODES[bool], x.context)
    calls.where(condition, number, x, x)


def _plan(key: Any, shape: tuple[int, ...]) -> Plan:
    if shape == ():
        if key not in ((), Ellipsis, slice(None)):
            raise IndexError("scalar tensor can only accept `()` and `:` as index")
        return Plan((), (), (), (), 0)
    return plan_basic(key, shape)


def _numpy_key(plan: Plan) -> tuple[Any, ...]:
    """Return the plan as slices; ints and new axes do not matter in an assignment."""
    return tuple(
        slice(begin, end, step)
        for begin, end, step in zip(plan.begin, plan.end, plan.step, strict=True)
    )


def _write_number(x: Array, plan: Plan, value: Any) -> None:
    value = _python_number(value)
    if plan.offset >= 0:
        calls.fill(x._view(plan.offset, plan.length), value)
    else:
        calls.slice_assign(x, value, plan.begin, plan.step, plan.length)


def _write_array(x: Array, plan: Plan, value: Array) -> None:
    if value.shape != plan.shape and value.size != int(np.prod(plan.length)):
        _write_numpy(x, _numpy_key(plan), value, plan)
    elif _without_leading_ones(value.shape) != _without_leading_ones(plan.shape):
        raise _no_broadcast(value.shape, plan.shape)
    elif plan.offset >= 0:
        copy_into(x._view(plan.offset, plan.length), value)
    else:
        calls.slice_assign(x, value._view(0, plan.length), plan.begin, plan.step)


def _without_leading_ones(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return `shape` without leading ones, which do not matter in an assignment."""
    start = next((axis for axis, size in enumerate(shape) if size != 1), len(shape))
    return shape[start:]


def _no_broadcast(given: tuple[int, ...], wanted: tuple[int, ...]) -> ValueError:
    return ValueError(f"could not broadcast input array from shape {given} into shape {wanted}")


def _write_numpy(x: Array, key: tuple[Any, ...], value: Any, plan: Plan | None = None) -> None:
    """Let NumPy broadcast, cast and write into the memory of `x`."""
    x.wait_to_write()
    source = np.asarray(value)
    if not is_numeric(source.dtype):
        raise TypeError(f"NDArray does not support assignment with {value!r:.60} of {type(value)}")
    target = numpy_alias(x)
    # NumPy is slow at converting each of the elements that it scatters.
    source = source.astype(target.dtype, copy=False)
    if plan is not None:
        # Broadcast to the shape that the user sees; the slices also have the axes of ints.
        lead = max(source.ndim - len(plan.shape), 0)
        if source.shape[:lead] == (1,) * lead:
            source = source.reshape(source.shape[lead:])
        try:
            source = np.broadcast_to(source, plan.shape).reshape(plan.length)
        except ValueError:
            raise _no_broadcast(np.shape(value), plan.shape) from None
    if not any(isinstance(item, np.ndarray) and item.ndim for item in key):
        key = (*key, Ellipsis)  # an array of one element may be assigned to an element
    target[key] = source
    x.wait_to_write()  # again: NumPy releases the GIL to other threads while it writes


def _write_recorded(x: Array, plan: Plan | None, value: Array) -> None:
    """Copy a recorded array to all of `x`, which becomes part of the graph."""
    if plan is None or plan.offset != 0 or plan.length != x.shape:
        raise OpforgeError(
            "Inplace operations (+=, -=, x[:]=, etc) are not supported when recording with "
            "autograd: only x[:] = y may write a recorded array. Build the result with "
            "nd.concat, nd.stack or nd.where instead"
        )
    nd = operators()
    copied = nd.broadcast_to(value, x.shape) if value.shape != x.shape else value
    copied = copied if copied.dtype == x.dtype else copied.astype(x.dtype)
    copy_into(x, copied)
    tape.record_callback((copied,), [x], lambda grads: [grads[0]], lambda symbol: symbol)
