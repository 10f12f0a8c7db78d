"""Functions that sort elements."""

from typing import Any

from .arguments import operand
from .shapes import ravel

__all__ = ["argsort", "msort", "sort"]


def sort(a: Any, axis: int | None = -1, kind: Any = None, order: Any = None) -> Any:
    """Return the elements in ascending order along an axis.

    Parameters
    ----------
    a : ndarray
    axis : int or None, default -1
        None: sort the flattened array.
    kind, order
        Ignored, for compatibility with NumPy; equal elements keep their order.

    Examples
    --------
    >>> from opforge import np
    >>> np.sort(np.array([3, 1, 2]))
    array([1., 2., 3.])
    """
    F, a, axis = _sorted_axis(a, axis, order)
    return F.sort(a, axis=axis)


def argsort(a: Any, axis: int | None = -1, kind: Any = None, order: Any = None) -> Any:
    """Return the indices that sort the elements along an axis.

    Parameters
    ----------
    a : ndarray
    axis : int or None, default -1
        None: sort the flattened array.
    kind, order
        Ignored, for compatibility with NumPy; equal elements keep their order.

    Examples
    --------
    >>> from opforge import np
    >>> np.argsort(np.array([3, 1, 2]))
    array([1, 2, 0], dtype=int64)
    """
    F, a, axis = _sorted_axis(a, axis, order)
    return F.argsort(a, axis=axis, dtype="int64")


def msort(a: Any) -> Any:
    """Return the elements in ascending order along the first axis.

    Examples
    --------
    >>> from opforge import np
    >>> np.msort(np.array([[3, 1], [2, 4]]))
    array([[2., 1.],
           [3., 4.]])
    """
    return sort(a, axis=0)


def _sorted_axis(a: Any, axis: int | None, order: Any) -> tuple[Any, Any, int]:
    """Return the operators, the array, and the axis to sort."""
    if order is not None:
        raise ValueError("order applies to structured arrays; arrays of np have numbers")
    F, a = operand(a)
    if axis is None:
        return F, ravel(a), 0
    return F, a, axis
