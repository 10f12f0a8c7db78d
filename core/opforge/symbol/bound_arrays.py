"""The arrays that executors are bound to: new ones of zeros, or the memory of others."""

from math import prod
from typing import Any

from ..base.context import Context
from ..base.errors import ShapeError
from ..native.array import empty
from ..native.calls.selection import fill

__all__ = ["reshaped", "zeros"]


def zeros(shape: tuple[int, ...], code: int, ctx: Context) -> Any:
    """Return a new array of zeros."""
    array = empty(shape, code, ctx)
    fill(array, 0)
    return array


def reshaped(what: str, old: Any, shape: tuple[int, ...], may_change: bool, may_grow: bool) -> Any:
    """Return an array of a shape: `old` itself, its memory, or a new one.

    Parameters
    ----------
    what : str
        Its name in errors.
    old : NDArray
    shape : tuple of int
    may_change, may_grow : bool
        Whether another shape is allowed, and a larger one.
    """
    size = prod(shape)
    if old.shape == tuple(shape):
        return old
    if not may_change:
        raise ShapeError(
            f"Shape of unspecified array {what} changed from {old.shape} to {shape}. "
            "If this is intended, use partial_shaping=True to allow it."
        )
    if size <= old.size:
        return old.reshape((-1,))[:size].reshape(tuple(shape))
    if not may_grow:
        raise ShapeError(
            f"New shape {shape} of {what} is larger than {old.shape}. First making a big executor "
            "and then down sizing it is more efficient than the reverse. If you really want to up "
            "size, use allow_up_sizing=True."
        )
    return zeros(tuple(shape), old.dtype_code, old.context)
