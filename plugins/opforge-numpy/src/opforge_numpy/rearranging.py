"""Functions that reverse, rotate, shift or repeat elements."""

from collections.abc import Sequence
from math import prod
from operator import index
from typing import Any

import numpy as np

from opforge.plugin_api import F as nd

from .arguments import as_array, axis_index, full_like_of, operand, stored, with_shape
from .selection import picked
from .shapes import Axes, distinct_axes, ravel, swapaxes

__all__ = ["flip", "fliplr", "flipud", "repeat", "resize", "roll", "rot90", "tile"]


def flip(m: Any, axis: Axes | None = None, out: Any = None) -> Any:
    """Reverse the order of elements along axes, default all.

    Examples
    --------
    >>> from opforge import np
    >>> np.flip(np.array([1, 2, 3]))
    array([3., 2., 1.])
    """
    F, m = operand(m)
    if axis is None:
        axis = tuple(range(m.ndim))
    if axis == ():
        return stored(F.identity(m), out)
    return stored(F.flip(m, axis=axis), out)


def fliplr(m: Any) -> Any:
    """Reverse the order of columns, along axis 1.

    Examples
    --------
    >>> from opforge import np
    >>> np.fliplr(np.array([[1, 2], [3, 4]]))
    array([[2., 1.],
           [4., 3.]])
    """
    return flip(m, 1)


def flipud(m: Any) -> Any:
    """Reverse the order of rows, along axis 0.

    Examples
    --------
    >>> from opforge import np
    >>> np.flipud(np.array([[1, 2], [3, 4]]))
    array([[3., 4.],
           [1., 2.]])
    """
    return flip(m, 0)


def rot90(m: Any, k: int = 1, axes: Sequence[int] = (0, 1)) -> Any:
    """Rotate an array by 90 degrees in the plane of two axes.

    Parameters
    ----------
    m : ndarray
    k : int, default 1
        Number of rotations, from the first axis towards the second.
    axes : (int, int), default (0, 1)

    Examples
    --------
    >>> from opforge import np
    >>> np.rot90(np.array([[1, 2], [3, 4]]))
    array([[2., 4.],
           [1., 3.]])
    """
    F, m = operand(m)
    if len(tuple(axes)) != 2:
        raise ValueError(f"rot90: axes is {axes!r}; expected two axes")
    first, second = distinct_axes(axes, m.ndim)
    k %= 4
    if k == 0:
        return F.identity(m)
    if k == 2:
        return flip(m, (first, second))
    if k == 1:
        return swapaxes(flip(m, second), first, second)
    return flip(swapaxes(m, first, second), second)


def roll(a: Any, shift: Axes, axis: Axes | None = None) -> Any:
    """Shift elements along axes; those beyond the end continue at the start.

    Parameters
    ----------
    a : ndarray
    shift : int or tuple of int
    axis : int or tuple of int, optional
        Default: shift the flattened array.

    Examples
    --------
    >>> from opforge import np
    >>> np.roll(np.array([1, 2, 3, 4]), 1)
    array([4., 1., 2., 3.])
    """
    F, a = operand(a)
    if axis is None:
        return with_shape(roll(ravel(a), int(np.sum(shift)), 0), a.shape)
    pairs = np.broadcast(shift, axis)
    if pairs.ndim > 1:
        raise ValueError("roll: shift and axis must be ints or sequences of int")
    rolled = a
    for step, one in pairs:
        at = axis_index(one, a.ndim)
        length = a.shape[at]
        step = int(step) % length if length else 0
        if step:
            tail, head = _parts(F, rolled, at, length - step)
            rolled = F.concat(head, tail, dim=at)
    return F.identity(a) if rolled is a else rolled


def _parts(F: Any, a: Any, axis: int, at: int) -> tuple[Any, Any]:
    """Return the elements from a position along an axis, and those before it."""
    if F is nd and not axis:
        return a[:at], a[at:]  # views
    before = F.slice_axis(a, axis=axis, begin=0, end=at)
    return before, F.slice_axis(a, axis=axis, begin=at, end=a.shape[axis])


def repeat(a: Any, repeats: Any, axis: int | None = None) -> Any:
    """Repeat each element.

    Parameters
    ----------
    a : ndarray
    repeats : int or sequence of int
        Number of repetitions, the same or one for each element along the axis.
    axis : int, optional
        Default: flatten the array.

    Examples
    --------
    >>> from opforge import np
    >>> np.repeat(np.array([1, 2]), 2)
    array([1., 1., 2., 2.])
    """
    F, a = operand(a)
    if F is not nd and isinstance(repeats, int):
        return F.repeat(a, repeats=repeats, axis=axis)
    if axis is None or not a.ndim:
        a, axis = ravel(a), 0
    at = axis_index(axis, a.ndim)
    if isinstance(repeats, int):
        if repeats < 0:
            raise ValueError(f"repeat: repeats is {repeats}; expected a number >= 0")
        return F.repeat(a, repeats=repeats, axis=at)
    return picked(a, np.repeat(np.arange(a.shape[at]), np.asarray(repeats)), at)


def tile(A: Any, reps: Any) -> Any:
    """Repeat a whole array along each axis.

    Examples
    --------
    >>> from opforge import np
    >>> np.tile(np.array([1, 2]), 2)
    array([1., 2., 1., 2.])
    """
    F, a = operand(A)
    counts = (reps,) if isinstance(reps, int) else tuple(map(index, reps))
    return F.tile(a, reps=counts) if counts else F.identity(a)


def resize(a: Any, new_shape: Any) -> Any:
    """Return the elements, repeated or cut off, with a shape of any size.

    Examples
    --------
    >>> from opforge import np
    >>> np.resize(np.array([1, 2, 3]), (2, 2))
    array([[1., 2.],
           [3., 1.]])
    """
    a = as_array(a)
    target = (new_shape,) if isinstance(new_shape, int) else tuple(new_shape)
    if any(length < 0 for length in target):
        raise ValueError(f"resize: shape is {target}; all lengths must be >= 0")
    if not a.size:
        return full_like_of(a, target, 0)
    indices = np.resize(np.arange(a.size), prod(target))
    return with_shape(picked(ravel(a), indices, 0), target)
