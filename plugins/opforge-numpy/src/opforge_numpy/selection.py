"""Functions that select elements or find their indices."""

from typing import Any

import numpy as np

from opforge.plugin_api import F as nd
from opforge.plugin_api import array_classes

from .arguments import as_array, axis_index, from_numpy, operand, operands, stored, with_shape
from .arrays import ndarray
from .host_values import host_values
from .promotion import name_of
from .shapes import ravel
from .symbols.calls import on_arrays
from .symbols.namespace import is_symbol

__all__ = [
    "flatnonzero",
    "nonzero",
    "take",
    "take_along_axis",
    "unique",
    "unravel_index",
]

NDArray = array_classes.NDArray


def picked(a: Any, indices: Any, axis: int) -> Any:
    """Return entries along an axis at valid indices, a NumPy array."""
    F, a = operand(a)
    return F.take(a, from_numpy(np.asarray(indices, np.int64), a), axis=axis, mode="clip")


def take(
    a: Any, indices: Any, axis: int | None = None, mode: str = "raise", out: Any = None
) -> Any:
    """Return the entries at indices along an axis.

    Parameters
    ----------
    a : ndarray
    indices : ndarray of int
    axis : int, optional
        Default: of the flattened array.
    mode : {'raise', 'clip', 'wrap'}, default 'raise'
        Treatment of indices out of bounds. With 'raise', negative ones count from the end.
    out : ndarray, optional

    Raises
    ------
    IndexError
        An index is out of bounds and `mode` is 'raise'.

    Examples
    --------
    >>> from opforge import np
    >>> np.take(np.array([1, 2, 3]), np.array([0, 2]))
    array([1., 3.])
    """
    if type(a) is type(indices) is ndarray and mode == "raise" and out is None and not axis:
        rows = array_classes.read_rows(ravel(a) if axis is None else a, indices)
        if rows is not None:
            return rows
    F, a = operand(a)
    if F is not nd or is_symbol(indices):
        F, (a, indices) = operands((a, indices))
        if axis is None:
            a, axis = ravel(a), 0
        return F.take(a, indices, axis=axis, mode=mode)
    if not isinstance(indices, NDArray):
        host = np.asarray(indices)
        kind = host.dtype if host.size else np.int64
        indices = nd.array(host, ctx=a.context, dtype=kind)
    if axis is None or not a.ndim:
        a, axis = ravel(a), 0
    at = axis_index(axis, a.ndim)
    if mode == "raise" and not at and indices.shape and name_of(indices) != "bool":
        return stored(a[indices], out)
    if mode == "raise":
        _expect_in_bounds(indices, a.shape[at], at)
        mode = "wrap"
    elif not a.shape[at] and indices.size:
        raise IndexError("cannot take elements from an empty axis")
    result = F.take(a, indices, axis=at, mode=mode)
    return stored(with_shape(result, (*a.shape[:at], *indices.shape, *a.shape[at + 1 :])), out)


def _expect_in_bounds(indices: Any, length: int, axis: int) -> None:
    if not indices.size:
        return
    values = np.asarray(indices)
    low, high = values.min(), values.max()
    if low < -length or high >= length:
        wrong = low if low < -length else high
        raise IndexError(f"index {wrong} is out of bounds for axis {axis} with size {length}")


@on_arrays("take_along_axis")
def take_along_axis(arr: Any, indices: Any, axis: int | None) -> Any:
    """Return the element at an index for each position along an axis.

    Parameters
    ----------
    arr : ndarray
    indices : ndarray of int
        Broadcasts with `arr` except along the axis.
    axis : int or None
        None: of the flattened array.

    Examples
    --------
    >>> from opforge import np
    >>> x = np.array([[3, 1, 2]])
    >>> np.take_along_axis(x, np.argsort(x), axis=1)
    array([[1., 2., 3.]])
    """
    arr = as_array(arr)
    if axis is None:
        arr, axis = ravel(arr), 0
    host = indices.asnumpy() if isinstance(indices, NDArray) else np.asarray(indices)
    linear = np.arange(arr.size).reshape(arr.shape)
    positions = np.take_along_axis(linear, host.astype(np.int64, copy=False), axis)
    return with_shape(picked(ravel(arr), positions, 0), positions.shape)


@on_arrays("nonzero")
def nonzero(a: Any) -> tuple[Any, ...]:
    """Return the indices of the elements that are not 0, one array for each axis.

    Examples
    --------
    >>> from opforge import np
    >>> np.nonzero(np.array([0, 5, 7]))
    (array([1, 2], dtype=int64),)
    """
    a = as_array(a)
    return tuple(from_numpy(indices, a) for indices in np.nonzero(np.atleast_1d(a.asnumpy())))


def flatnonzero(a: Any) -> Any:
    """Return the indices of the elements of the flattened array that are not 0.

    Examples
    --------
    >>> from opforge import np
    >>> np.flatnonzero(np.array([[0, 5], [7, 0]]))
    array([1, 2], dtype=int64)
    """
    return nonzero(ravel(a))[0]


@on_arrays("unique")
def unique(
    ar: Any,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
    *,
    equal_nan: bool = True,
) -> Any:
    """Return the distinct elements in ascending order.

    Parameters
    ----------
    ar : ndarray
    return_index, return_inverse, return_counts : bool, default False
        Also return the indices of first occurrences, the indices that restore `ar`, and the
        numbers of occurrences.
    axis : int, optional
        Compare the entries along an axis, default all elements.
    equal_nan : bool, default True
        Whether all nan are one element.

    Examples
    --------
    >>> from opforge import np
    >>> np.unique(np.array([3, 1, 3]))
    array([1., 3.])
    """
    ar = as_array(ar)
    options: Any = return_index, return_inverse, return_counts, axis
    found: Any = np.unique(host_values(ar), *options, equal_nan=equal_nan)
    if isinstance(found, tuple):
        values, *indices = found
        return (from_numpy(values.astype(ar.dtype), ar), *(from_numpy(at, ar) for at in indices))
    return from_numpy(found.astype(ar.dtype), ar)


@on_arrays("unravel_index")
def unravel_index(indices: Any, shape: Any, order: Any = "C") -> Any:
    """Return the index along each axis for indices of the flattened array.

    Examples
    --------
    >>> from opforge import np
    >>> np.unravel_index(np.array([3, 5], dtype="int64"), (2, 3))
    (array([1, 1], dtype=int64), array([0, 2], dtype=int64))
    """
    if not isinstance(indices, NDArray):
        return np.unravel_index(indices, shape, order)
    host = indices.asnumpy()
    if (host != host.astype(np.int64)).any():
        raise TypeError("unravel_index: indices must be integers")
    found = np.unravel_index(host.astype(np.int64), shape, order)
    return tuple(from_numpy(values, indices) for values in found)
