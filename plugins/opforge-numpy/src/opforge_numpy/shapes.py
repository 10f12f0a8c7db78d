"""Functions that change the shape of arrays, the order of their axes, or broadcast them."""

from collections.abc import Sequence
from math import prod
from operator import index
from typing import Any

import numpy as np

from opforge.plugin_api import F as nd
from opforge.plugin_api import ShapeError

from .arguments import (
    AxisError,
    as_array,
    axis_index,
    full_like_of,
    operand,
    stored,
    with_shape,
)
from .arrays import ndarray

__all__ = [
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "broadcast_arrays",
    "broadcast_to",
    "expand_dims",
    "moveaxis",
    "ravel",
    "reshape",
    "rollaxis",
    "shape",
    "squeeze",
    "swapaxes",
    "transpose",
]

Shape = tuple[int, ...]
Axes = int | Sequence[int]


def shape(a: Any) -> Shape:
    """Return the shape of an array.

    Examples
    --------
    >>> from opforge import np
    >>> np.shape(np.zeros((2, 3)))
    (2, 3)
    """
    return tuple(a.shape) if hasattr(a, "shape") else np.shape(a)


def reshape(a: Any, newshape: Any, order: str = "C", out: Any = None) -> Any:
    """Return the same elements with another shape, in the same memory.

    Parameters
    ----------
    a : ndarray
    newshape : int or tuple of int
        One length may be -1: it follows from the number of elements.
    order : {'C', 'F'}, default 'C'
        'F': read and write the elements with the first index changing fastest; makes a copy.
    out : ndarray, optional

    Examples
    --------
    >>> from opforge import np
    >>> np.reshape(np.arange(6), (2, -1)).shape
    (2, 3)
    """
    F, a = operand(a)
    if order not in ("C", "F"):
        raise ValueError(f"reshape: order is {order!r}; expected 'C' or 'F'")
    if order == "F":
        target = newshape if isinstance(newshape, int) else tuple(newshape)[::-1]
        return stored(transpose(reshape(transpose(a), target)), out)
    if F is not nd:
        return F.reshape(a, shape=newshape)
    return stored(with_shape(a, _target_shape(a.size, newshape)), out)


def _target_shape(size: int, new: Any) -> Shape:
    """Return the shape of an array of a known size with the length -1 replaced."""
    target = tuple(map(index, new)) if hasattr(new, "__len__") else (index(new),)
    if min(target, default=0) >= 0 and prod(target) == size:
        return target
    unknown, known = target.count(-1), prod(length for length in target if length != -1)
    if unknown > 1 or any(length < -1 for length in target):
        raise ShapeError(f"cannot reshape to {target}: only one length may be -1, others are >= 0")
    if unknown and known and size % known == 0:
        return tuple(size // known if length == -1 else length for length in target)
    if unknown or known != size:
        raise ShapeError(f"cannot reshape array of size {size} into shape {target}")
    return target


def ravel(x: Any, order: str = "C") -> Any:
    """Return the elements with one axis, in the same memory.

    Examples
    --------
    >>> from opforge import np
    >>> np.ravel(np.ones((2, 3))).shape
    (6,)
    """
    if type(x) is ndarray and order == "C":
        return with_shape(x, (x.size,))
    F, x = operand(x)
    return reshape(x, (-1,) if F is not nd or x.size else (0,), order)


def expand_dims(a: Any, axis: Axes) -> Any:
    """Insert axes of length 1.

    Parameters
    ----------
    a : ndarray
    axis : int or tuple of int
        Positions of the new axes in the result.

    Examples
    --------
    >>> from opforge import np
    >>> np.expand_dims(np.ones((2, 3)), axis=1).shape
    (2, 1, 3)
    """
    F, a = operand(a)
    if F is not nd:
        if isinstance(axis, int):
            return F.expand_dims(a, axis=axis)
        for at in sorted(distinct_axes(axis, a.ndim + len(axis))):
            a = F.expand_dims(a, axis=at)
        return a
    if isinstance(axis, int):
        old = a.shape
        at = axis_index(axis, len(old) + 1)
        return with_shape(a, (*old[:at], 1, *old[at:]))
    axes = distinct_axes(axis, a.ndim + len(axis))
    lengths = iter(a.shape)
    count = a.ndim + len(axes)
    return with_shape(a, tuple(1 if i in axes else next(lengths) for i in range(count)))


def distinct_axes(axes: Axes, ndim: int) -> tuple[int, ...]:
    """Return axes counted from the first one, each at most once."""
    listed = (axes,) if isinstance(axes, int) else tuple(axes)
    found = tuple(axis_index(axis, ndim) for axis in listed)
    if len(set(found)) != len(found):
        raise ShapeError(f"axes {listed} name an axis twice")
    return found


def squeeze(a: Any, axis: Axes | None = None, out: Any = None) -> Any:
    """Remove axes of length 1.

    Parameters
    ----------
    a : ndarray
    axis : int or tuple of int, optional
        Axes to remove, default all of length 1.
    out : ndarray, optional

    Examples
    --------
    >>> from opforge import np
    >>> np.squeeze(np.ones((1, 3, 1))).shape
    (3,)
    """
    a = as_array(a)
    old = a.shape
    if axis is None:
        return stored(with_shape(a, tuple(length for length in old if length != 1)), out)
    if not old and axis in (0, -1):
        return stored(a, out)
    axes = distinct_axes(axis, len(old))
    if any(old[i] != 1 for i in axes):
        raise ShapeError(f"cannot squeeze axes {axes} of shape {old}: the length must be 1")
    return stored(with_shape(a, tuple(n for i, n in enumerate(old) if i not in axes)), out)


def atleast_1d(*arys: Any) -> Any:
    """Return arrays with at least one axis.

    Examples
    --------
    >>> from opforge import np
    >>> np.atleast_1d(np.array(3.0)).shape
    (1,)
    """
    return _at_least(arys, lambda old: old or (1,))


def atleast_2d(*arys: Any) -> Any:
    """Return arrays with at least two axes; vectors become rows.

    Examples
    --------
    >>> from opforge import np
    >>> np.atleast_2d(np.ones(3)).shape
    (1, 3)
    """
    return _at_least(arys, lambda old: old if len(old) > 1 else (1, *(old or (1,))))


def atleast_3d(*arys: Any) -> Any:
    """Return arrays with at least three axes.

    Examples
    --------
    >>> from opforge import np
    >>> np.atleast_3d(np.ones(3)).shape
    (1, 3, 1)
    """
    return _at_least(arys, _three_axes)


def _three_axes(old: Shape) -> Shape:
    if len(old) > 2:
        return old
    return (1, *(old or (1,)), 1) if len(old) < 2 else (*old, 1)


def _at_least(arrays: Sequence[Any], rule: Any) -> Any:
    results = [with_shape(a, rule(a.shape)) for a in map(as_array, arrays)]
    return results[0] if len(results) == 1 else results


def transpose(a: Any, axes: Any = None) -> Any:
    """Return the array with its axes permuted.

    Parameters
    ----------
    a : ndarray
    axes : tuple of int, optional
        The axes of `a` in their new order, default reversed.

    Examples
    --------
    >>> from opforge import np
    >>> np.transpose(np.ones((2, 3, 4)), (1, 0, 2)).shape
    (3, 2, 4)
    """
    F, a = operand(a)
    if axes is None:
        return F.transpose(a)
    if len(axes):
        return F.transpose(a, axes)
    if a.ndim:
        raise ShapeError(f"axes () do not match an array of {a.ndim} dimensions")
    return a


def swapaxes(a: Any, axis1: int, axis2: int) -> Any:
    """Exchange two axes.

    Examples
    --------
    >>> from opforge import np
    >>> np.swapaxes(np.ones((2, 3, 4)), 0, 2).shape
    (4, 3, 2)
    """
    F, a = operand(a)
    return F.swapaxes(a, axis1, axis2)


def moveaxis(a: Any, source: Axes, destination: Axes) -> Any:
    """Move axes to other positions; the others keep their order.

    Examples
    --------
    >>> from opforge import np
    >>> np.moveaxis(np.ones((2, 3, 4)), 0, -1).shape
    (3, 4, 2)
    """
    a = as_array(a)
    old, new = distinct_axes(source, a.ndim), distinct_axes(destination, a.ndim)
    if len(old) != len(new):
        raise ShapeError(
            f"source has {len(old)} axes and destination {len(new)}; they must have the same number"
        )
    order = [axis for axis in range(a.ndim) if axis not in old]
    for position, axis in sorted(zip(new, old, strict=True)):
        order.insert(position, axis)
    return transpose(a, order)


def rollaxis(a: Any, axis: int, start: int = 0) -> Any:
    """Move an axis before the axis `start`.

    Examples
    --------
    >>> from opforge import np
    >>> np.rollaxis(np.ones((2, 3, 4)), 2).shape
    (4, 2, 3)
    """
    a = as_array(a)
    axis = axis_index(axis, a.ndim)
    start = start + a.ndim if start < 0 else start
    if not 0 <= start <= a.ndim:
        raise AxisError(start, a.ndim, "start")
    return moveaxis(a, axis, start - (axis < start))


def broadcast_to(array: Any, shape: Any) -> Any:
    """Repeat axes of length 1 to a shape.

    Parameters
    ----------
    array : ndarray
    shape : int or tuple of int
        The length -2 keeps that of the array, as in MXNet.

    Examples
    --------
    >>> from opforge import np
    >>> np.broadcast_to(np.array([1, 2]), (2, 2))
    array([[1., 2.],
           [1., 2.]])
    """
    F, array = operand(array)
    target = (shape,) if isinstance(shape, int) else tuple(shape)
    if -2 in target:
        aligned = enumerate(target, array.ndim - len(target))
        target = tuple(array.shape[axis] if length == -2 else length for axis, length in aligned)
    if F is nd and array.shape == target:
        return array
    if 0 in target:
        # In the operator's shape, 0 keeps a length.
        return F.broadcast_like(array, full_like_of(array, target, 0))
    return F.broadcast_to(array, shape=target)


def broadcast_arrays(*args: Any) -> Any:
    """Return arrays broadcast to their common shape, in a list.

    Examples
    --------
    >>> from opforge import np
    >>> [x.shape for x in np.broadcast_arrays(np.ones((2, 1)), np.ones(3))]
    [(2, 3), (2, 3)]
    """
    arrays = [as_array(array) for array in args]
    common = np.broadcast_shapes(*(array.shape for array in arrays))
    return [broadcast_to(array, common) for array in arrays]
