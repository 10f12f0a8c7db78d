"""Functions that append, insert, delete or pad entries."""

from typing import Any

import numpy as np

from opforge.plugin_api import F as nd
from opforge.plugin_api import array_classes, autograd, kernels

from .arguments import as_array, axis_index, full_like_of, operand, operands, with_shape
from .selection import picked
from .shapes import broadcast_to, moveaxis, ravel

__all__ = ["append", "delete", "insert", "pad"]

NDArray = array_classes.NDArray


def append(arr: Any, values: Any, axis: int | None = None) -> Any:
    """Append values to the end of an axis, default of the flattened array.

    Examples
    --------
    >>> from opforge import np
    >>> np.append(np.array([1, 2]), np.array([3]))
    array([1., 2., 3.])
    """
    F, arrays = operands((arr, values))
    if axis is None:
        arrays, axis = [ravel(array) for array in arrays], 0
    return F.concat(*arrays, dim=axis)


def delete(arr: Any, obj: Any, axis: int | None = None) -> Any:
    """Return the array without entries along an axis.

    Parameters
    ----------
    arr : ndarray
    obj : int, slice, or array of int or bool
        Indices of the entries to leave out. An array of np may have negative indices and indices
        out of bounds, which are ignored.
    axis : int, optional
        Default: of the flattened array.

    Examples
    --------
    >>> from opforge import np
    >>> np.delete(np.array([1, 2, 3]), 1)
    array([1., 3.])
    """
    arr = as_array(arr)
    if axis is None:
        arr, axis = ravel(arr), 0
    at = axis_index(axis, arr.ndim)
    length, key = arr.shape[at], _host_key(obj)
    if isinstance(obj, NDArray) and key.size > 1 and key.dtype.kind == "i":
        # As in MXNet, and in NumPy before 1.19.
        key = key[(key >= 0) & (key < length)]
    return picked(arr, np.delete(np.arange(length), key), at)


def _host_key(obj: Any) -> Any:
    if not isinstance(obj, NDArray):
        return obj
    values = obj.asnumpy()
    return values if values.dtype.kind == "b" else values.astype(np.int64)


def insert(arr: Any, obj: Any, values: Any, axis: int | None = None) -> Any:
    """Insert values before indices along an axis.

    Parameters
    ----------
    arr : ndarray
    obj : int, slice, or array of int
    values : ndarray or number
        Broadcast to the inserted entries and cast to the type of `arr`.
    axis : int, optional
        Default: of the flattened array.

    Examples
    --------
    >>> from opforge import np
    >>> np.insert(np.array([1, 2, 3]), 1, 9)
    array([1., 9., 2., 3.])
    """
    arr = as_array(arr)
    if axis is None:
        arr, axis = ravel(arr), 0
    at, key = axis_index(axis, arr.ndim), _host_key(obj)
    values = operands((arr, values))[1][1]
    values = values if values.dtype == arr.dtype else values.astype(arr.dtype)
    length = arr.shape[at]
    key = np.arange(*key.indices(length)) if isinstance(key, slice) else np.asarray(key)
    if key.size == 1 and key.dtype.kind != "b":
        # All values go before a single index.
        values = with_shape(values, (1,) * (arr.ndim - values.ndim) + values.shape)
        if not key.ndim:
            values = moveaxis(values, 0, at)
        count = values.shape[at]
        order = np.insert(np.arange(length), key.item(), np.arange(length, length + count))
    else:
        count = np.insert(np.arange(length), key, 0).size - length
        order = np.insert(np.arange(length), key, np.arange(length, length + count))
    inserted = broadcast_to(values, (*arr.shape[:at], count, *arr.shape[at + 1 :]))
    F, parts = operands((arr, inserted))
    return picked(F.concat(*parts, dim=at), order, at)


#: Modes of `pad` that repeat entries of the array.
_REPEATING = ("edge", "reflect", "symmetric", "wrap")


#: Modes of `pad` that append statistics -> reduction.
_STATISTICS = {"maximum": "max", "minimum": "min", "mean": "mean"}


def pad(x: Any, pad_width: Any = None, mode: Any = "constant", **kwargs: Any) -> Any:
    """Add entries before and after each axis.

    Parameters
    ----------
    x : ndarray
    pad_width : int, or sequence of (before, after)
        Numbers of entries, the same or one pair for each axis.
    mode : {'constant', 'edge', 'reflect', 'symmetric', 'wrap', 'maximum', 'minimum', 'mean'}
    **kwargs
        constant_values : number or sequence, for 'constant', default 0. reflect_type : only 'even'.

    Examples
    --------
    >>> from opforge import np
    >>> np.pad(np.array([1, 2]), ((1, 2),), constant_values=9)
    array([9., 1., 2., 9., 9.])
    """
    F, x = operand(x)
    widths = np.broadcast_to(np.asarray(pad_width), (x.ndim, 2)).tolist()
    if any(width < 0 for pair in widths for width in pair):
        raise ValueError(f"pad: pad_width is {pad_width}; all numbers must be >= 0")
    allowed = {
        "constant": {"constant_values"},
        "reflect": {"reflect_type"},
        "symmetric": {"reflect_type"},
    }
    unknown = kwargs.keys() - allowed.get(mode, set())
    if unknown or kwargs.get("reflect_type", "even") != "even":
        raise ValueError(f"pad: mode {mode!r} does not support {kwargs}")
    if mode == "constant":
        return _padded_with(x, widths, kwargs.get("constant_values", 0))
    for axis, (before, after) in enumerate(widths):
        if mode in _REPEATING:
            indices = np.pad(np.arange(x.shape[axis]), (before, after), mode)
            x = picked(x, indices, axis) if before or after else x
        elif mode in _STATISTICS:
            entry = getattr(F, _STATISTICS[mode])(x, axis=axis, keepdims=True)
            parts = [F.repeat(entry, repeats=n, axis=axis) for n in (before, after)]
            x = F.concat(parts[0], x, parts[1], dim=axis)
        else:
            modes = ("constant", *_REPEATING, *_STATISTICS)
            raise ValueError(f"pad: mode is {mode!r}; expected one of {', '.join(modes)}")
    return F.identity(x)


def _padded_with(x: Any, widths: Any, constants: Any) -> Any:
    F, x = operand(x)
    if not x.ndim:
        return F.identity(x)
    values = np.broadcast_to(np.asarray(constants), (x.ndim, 2))
    if x.size and (values == values[0, 0]).all():
        target = tuple(n + sum(pair) for n, pair in zip(x.shape, widths, strict=True))
        begin = tuple(before for before, _ in widths)
        end = tuple(n + low for n, low in zip(x.shape, begin, strict=True))
        filled = full_like_of(x, target, values[0, 0])
        if F is nd and not autograd.is_recording():
            kernels.slice_assign(filled, x, begin, (1,) * x.ndim)  # without a copy of `filled`
            return filled
        return F._slice_assign(filled, x, begin=begin, end=end)
    for axis, pair in enumerate(widths):
        before, after = (
            full_like_of(x, (*x.shape[:axis], count, *x.shape[axis + 1 :]), value)
            for count, value in zip(pair, values[axis], strict=True)
        )
        x = F.concat(before, x, after, dim=axis)
    return x
