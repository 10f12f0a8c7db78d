"""Arrays that executors are bound to: creation, reuse of memory, and assignment."""

from collections.abc import Iterable, Mapping, Sequence
from math import prod
from typing import Any

from .. import ndarray as nd
from ..base.context import Context
from ..base.dtypes import dtype_of
from ..base.errors import ShapeError
from ..native.array import Array, empty
from ..native.calls.selection import fill
from ..native.dispatch.basic_indexing import write_adjacent

__all__ = ["expect_complete", "output_array", "overwrite", "reshaped", "zeros"]

_ALL = slice(None)


def zeros(shape: tuple[int, ...], code: int, ctx: Context, stype: str = "default") -> Any:
    """Return a new array of zeros."""
    if stype != "default":
        return nd.zeros(shape, ctx, dtype_of(code), stype)
    array = empty(shape, code, ctx)
    fill(array, 0)
    return array


def expect_complete(names: Iterable[str], shapes: Sequence[tuple[int, ...]]) -> None:
    """Raise an error unless all shapes are fully known.

    Raises
    ------
    ValueError
        A shape is not fully known; the first one is named.
    """
    for name, shape in zip(names, shapes, strict=True):
        if not shape or min(shape) < 1:
            raise ValueError(
                f"Insufficient argument shapes provided: the shape of {name!r} is {shape}, which "
                "is incomplete; pass its full shape"
            )


def reshaped(what: str, old: Any, shape: tuple[int, ...], may_change: bool, may_grow: bool) -> Any:
    """Return an array of a given shape: `old` itself, a view of its memory, or a new array.

    Parameters
    ----------
    what : str
        Name of the array, for errors.
    old : NDArray
    shape : tuple of int
    may_change, may_grow : bool
        Whether the shape may change, and whether it may become larger.
    """
    size = prod(shape)
    if old.shape == tuple(shape):
        return old
    if not may_change:
        raise ShapeError(
            f"Shape of unspecified array {what} changed from {old.shape} to {shape}. "
            "If this is intended, use partial_shaping=True to allow it."
        )
    if old.stype != "default":
        return zeros(tuple(shape), old.dtype_code, old.context, old.stype)
    if size <= old.size:
        return old.reshape((-1,))[:size].reshape(tuple(shape))
    if not may_grow:
        raise ShapeError(
            f"New shape {shape} of {what} is larger than {old.shape}. First making a big executor "
            "and then down sizing it is more efficient than the reverse. If you really want to up "
            "size, use allow_up_sizing=True."
        )
    return zeros(tuple(shape), old.dtype_code, old.context)


def output_array(old: Any, shape: tuple[int, ...], code: int, ctx: Context) -> Any:
    """Return an array for an output, in the memory of `old` if it is large enough.

    Parameters
    ----------
    old : NDArray or None
    shape : tuple of int
    code : int
        Type code.
    ctx : Context
    """
    if old is None or old.dtype_code != code or old.context != ctx or old.size < prod(shape):
        return empty(shape, code, ctx)
    return reshaped("output", old, shape, True, False)


def overwrite(arrays: Mapping[str, Any], name: str, value: Any, what: str) -> None:
    """Copy `value` into the array of this name.

    Parameters
    ----------
    arrays : dict of str to NDArray
    name : str
    value : NDArray
    what : str
        Kind of the arrays, for errors, such as ``argument``.
    """
    target: Any = arrays.get(name)
    is_dense = isinstance(value, Array) and isinstance(target, Array)
    if is_dense and value is not target and write_adjacent(target, _ALL, value):  # equal shapes
        return
    if target is None:
        raise TypeError(f"Unknown {what} {name}; the {what}s are {', '.join(arrays)}")
    if not hasattr(value, "shape"):
        raise TypeError(f"only accept {what}s as NDArray, {name} is {type(value)}")
    if tuple(value.shape) != target.shape:
        raise ShapeError(
            f"Shape not match! {what} {name}, need: {target.shape}, received: {value.shape}"
        )
    if value is not target:
        target[:] = value
