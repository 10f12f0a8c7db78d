"""Functions that search, select, sort or compare elements with sets."""

from typing import Any, NamedTuple

import numpy as np

from opforge.plugin_api import F as nd
from opforge.plugin_api import array_classes

from .. import elementwise, reductions, selection, sorting
from ..arguments import axis_index, from_numpy
from ..rearranging import flip
from .arguments import array_of, checked, pair, wrapped

__all__ = [
    "argmax",
    "argmin",
    "argsort",
    "count_nonzero",
    "isin",
    "nonzero",
    "searchsorted",
    "sort",
    "take",
    "take_along_axis",
    "unique_all",
    "unique_counts",
    "unique_inverse",
    "unique_values",
    "where",
]

NDArray = array_classes.NDArray


def argmax(x: Any, /, *, axis: int | None = None, keepdims: bool = False) -> Any:
    """Return the indices of the largest elements along an axis, the first of equal ones.

    Examples
    --------
    >>> from opforge import array_api as xp
    >>> xp.argmax(xp.asarray([[1, 3], [4, 2]]), axis=1)
    array([1, 0], dtype=int64)
    """
    return wrapped(reductions.argmax(checked("argmax", x, "numeric"), axis, None, keepdims))


def argmin(x: Any, /, *, axis: int | None = None, keepdims: bool = False) -> Any:
    """Return the indices of the smallest elements along an axis, the first of equal ones."""
    return wrapped(reductions.argmin(checked("argmin", x, "numeric"), axis, None, keepdims))


def count_nonzero(x: Any, /, *, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the number of elements that are not 0, over axes.

    Examples
    --------
    >>> from opforge import array_api as xp
    >>> xp.count_nonzero(xp.asarray([[0, 2], [1, 3]]), axis=0)
    array([1, 2], dtype=int64)
    """
    x = nd.cast(array_of("count_nonzero", x), dtype="bool")
    return wrapped(reductions.sum(x, axis, keepdims=keepdims))


def nonzero(x: Any, /) -> tuple[Any, ...]:
    """Return the indices of the elements that are not 0, an array for each axis.

    Examples
    --------
    >>> from opforge import array_api as xp
    >>> xp.nonzero(xp.asarray([0, 5, 7]))
    (array([1, 2], dtype=int64),)
    """
    x = array_of("nonzero", x)
    if not x.ndim:
        raise ValueError("nonzero: the array has no axes; expected at least one")
    indices: tuple[Any, ...] = wrapped(selection.nonzero(x))
    return indices


def searchsorted(x1: Any, x2: Any, /, *, side: str = "left", sorter: Any = None) -> Any:
    """Return the indices at which values are inserted to keep an array sorted.

    Parameters
    ----------
    x1 : Array
        A sorted vector.
    x2 : Array or number
        Values.
    side : {"left", "right"}
        Whether a value goes before or after equal elements.
    sorter : Array of int, optional
        Indices that sort `x1`.

    Examples
    --------
    >>> from opforge import array_api as xp
    >>> xp.searchsorted(xp.asarray([1, 2, 3]), xp.asarray([2, 5]))
    array([1, 3], dtype=int64)
    """
    x1, x2 = pair("searchsorted", x1, x2, "numeric")
    order = None if sorter is None else checked("searchsorted", sorter, "integral").asnumpy()
    found: Any = np.searchsorted(x1.asnumpy(), x2.asnumpy(), side, order)  # type: ignore[call-overload]
    return wrapped(from_numpy(np.asarray(found, np.int64), x1))


def where(condition: Any, x1: Any, x2: Any, /) -> Any:
    """Return elements of `x1` where `condition` is true and of `x2` elsewhere.

    Parameters
    ----------
    condition : Array of bool
    x1, x2 : Array or number
        At most one is a number.

    Examples
    --------
    >>> from opforge import array_api as xp
    >>> x = xp.asarray([1, 2, 3])
    >>> xp.where(x > 1, x, 0)
    array([0, 2, 3], dtype=int64)
    """
    condition = checked("where", condition, "bool")
    return wrapped(elementwise.where(condition, *pair("where", x1, x2)))


def take(x: Any, indices: Any, /, *, axis: int | None = None) -> Any:
    """Return the entries at indices along an axis.

    Parameters
    ----------
    x : Array
    indices : Array of int
        Negative ones count from the end.
    axis : int, optional
        Default: the only axis.

    Examples
    --------
    >>> from opforge import array_api as xp
    >>> xp.take(xp.asarray([1, 2, 3]), xp.asarray([0, 2]))
    array([1, 3], dtype=int64)
    """
    x, indices = array_of("take", x), checked("take", indices, "integral")
    if axis is None and x.ndim != 1:
        raise ValueError(f"take: the array has {x.ndim} axes; pass axis")
    return wrapped(selection.take(x, indices, 0 if axis is None else axis))


def take_along_axis(x: Any, indices: Any, /, *, axis: int = -1) -> Any:
    """Return the element at an index for each position along an axis.

    Examples
    --------
    >>> from opforge import array_api as xp
    >>> x = xp.asarray([[3, 1, 2]])
    >>> xp.take_along_axis(x, xp.argsort(x))
    array([[1, 2, 3]], dtype=int64)
    """
    indices = checked("take_along_axis", indices, "integral")
    return wrapped(selection.take_along_axis(array_of("take_along_axis", x), indices, axis))


def argsort(x: Any, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Any:
    """Return the indices that sort the elements along an axis.

    Parameters
    ----------
    x : Array
    axis : int, default -1
    descending : bool, default False
        Whether the largest element comes first.
    stable : bool, default True
        Ignored: equal elements always keep their order.

    Examples
    --------
    >>> from opforge import array_api as xp
    >>> xp.argsort(xp.asarray([3, 1, 2]), descending=True)
    array([0, 2, 1], dtype=int64)
    """
    x = checked("argsort", x, "numeric")
    axis = axis_index(axis, x.ndim)
    if not descending:
        return wrapped(sorting.argsort(x, axis))
    backward = sorting.argsort(flip(x, axis), axis)
    return wrapped(flip(x.shape[axis] - 1 - backward, axis))


def sort(x: Any, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Any:
    """Return the elements sorted along an axis; for the parameters see `argsort`.

    Examples
    --------
    >>> from opforge import array_api as xp
    >>> xp.sort(xp.asarray([3, 1, 2]), descending=True)
    array([3, 2, 1], dtype=int64)
    """
    x = checked("sort", x, "numeric")
    result = sorting.sort(x, axis_index(axis, x.ndim))
    return wrapped(flip(result, axis) if descending else result)


# -- sets ---------------------------------------------------------------------------------------


class UniqueAll(NamedTuple):
    """Result of `unique_all`."""

    values: Any
    indices: Any
    inverse_indices: Any
    counts: Any


class UniqueCounts(NamedTuple):
    """Result of `unique_counts`."""

    values: Any
    counts: Any


class UniqueInverse(NamedTuple):
    """Result of `unique_inverse`."""

    values: Any
    inverse_indices: Any


def _unique(name: str, x: Any, index: bool, inverse: bool, counts: bool) -> Any:
    x = array_of(name, x)
    return wrapped(selection.unique(x, index, inverse, counts, equal_nan=False))


def unique_all(x: Any, /) -> UniqueAll:
    """Return distinct elements, indices of first ones, inverse indices and counts.

    Examples
    --------
    >>> from opforge import array_api as xp
    >>> xp.unique_all(xp.asarray([3, 1, 3])).counts
    array([1, 2], dtype=int64)
    """
    return UniqueAll(*_unique("unique_all", x, True, True, True))


def unique_counts(x: Any, /) -> UniqueCounts:
    """Return the distinct elements and how often each occurs."""
    return UniqueCounts(*_unique("unique_counts", x, False, False, True))


def unique_inverse(x: Any, /) -> UniqueInverse:
    """Return the distinct elements and the indices that restore the array."""
    return UniqueInverse(*_unique("unique_inverse", x, False, True, False))


def unique_values(x: Any, /) -> Any:
    """Return the distinct elements in ascending order.

    Examples
    --------
    >>> from opforge import array_api as xp
    >>> xp.unique_values(xp.asarray([3, 1, 3]))
    array([1, 3], dtype=int64)
    """
    return _unique("unique_values", x, False, False, False)


def isin(x1: Any, x2: Any, /, *, invert: bool = False) -> Any:
    """Return for each element of `x1` whether `x2` contains it.

    Parameters
    ----------
    x1, x2 : Array or int
        At most one is an int.
    invert : bool, default False
        Whether to negate the result.

    Examples
    --------
    >>> from opforge import array_api as xp
    >>> xp.isin(xp.asarray([1, 2]), 2)
    array([False,  True])
    """
    x1, x2 = pair("isin", x1, x2)
    found = np.isin(x1.asnumpy(), x2.asnumpy(), invert=invert)
    return wrapped(from_numpy(np.asarray(found), x1))
