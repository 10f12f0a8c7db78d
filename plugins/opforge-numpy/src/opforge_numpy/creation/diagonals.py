"""Diagonals of matrices, matrices from diagonals, and traces."""

from typing import Any

from opforge.plugin_api import AttributeValueError

from ..arguments import axis_index, operand
from ..arrays import adopt
from ..reductions import sum as sum_of
from ..shapes import ravel
from ..symbols.calls import deferred
from ..symbols.namespace import is_symbol

__all__ = [
    "diag",
    "diagflat",
    "diagonal",
    "trace",
]


def diag(array: Any, k: int = 0) -> Any:
    """Return a diagonal of a matrix, or a matrix with a diagonal.

    Parameters
    ----------
    array : ndarray
        A matrix, or the elements of the diagonal.
    k : int, default 0
        Index of the diagonal; positive: above the main diagonal.

    Examples
    --------
    >>> from opforge import np
    >>> np.diag(np.array([1, 2]))
    array([[1., 0.],
           [0., 2.]])
    """
    f, array = operand(array)
    if array.ndim == 1:
        return adopt(f.diag(array, k=k))
    if array.ndim != 2:
        raise AttributeValueError(f"np.diag: array has {array.ndim} axes, expected 1 or 2")
    return diagonal(array, k)


def diagflat(array: Any, k: int = 0) -> Any:
    """Return a matrix with the flattened elements of an array on a diagonal; see `diag`.

    Examples
    --------
    >>> from opforge import np
    >>> np.diagflat(np.ones((2, 2))).shape
    (4, 4)
    """
    f, array = operand(array)
    return adopt(f.diag(ravel(array), k=k))


def diagonal(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """Return the diagonals of matrices, which form the last axis of the result.

    Parameters
    ----------
    a : ndarray
    offset : int, default 0
        Index of the diagonal; positive: above the main diagonal.
    axis1, axis2 : int, default 0 and 1
        Axes of the rows and of the columns.

    Examples
    --------
    >>> from opforge import np
    >>> np.diagonal(np.array([[1, 2], [3, 4]]))
    array([1., 4.])
    """
    f, a = operand(a)
    if a.ndim < 2:
        raise AttributeValueError(f"np.diagonal: a has {a.ndim} axes, expected at least two")
    first, second = axis_index(axis1, a.ndim), axis_index(axis2, a.ndim)
    if first == second:
        raise AttributeValueError(f"np.diagonal: axis1 and axis2 are both {axis1}")
    if -a.shape[first] < offset < a.shape[second]:
        return adopt(f.diag(a, k=offset, axis1=first, axis2=second))
    # No element is on the diagonal, and a graph has no arrays without elements.
    if is_symbol(a):
        return deferred("diagonal", (a, offset, axis1, axis2), {}, reads_elements=True)
    rows = f.slice_axis(a, axis=first, begin=0, end=0)
    return adopt(f.diag(rows, k=0, axis1=first, axis2=second))


def trace(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, out: Any = None) -> Any:
    """Return the sums of diagonals; for the parameters see `diagonal`.

    Examples
    --------
    >>> from opforge import np
    >>> np.trace(np.ones((2, 2, 3)))
    array([2., 2., 2.])
    """
    return sum_of(diagonal(a, offset, axis1, axis2), -1, out=out)
