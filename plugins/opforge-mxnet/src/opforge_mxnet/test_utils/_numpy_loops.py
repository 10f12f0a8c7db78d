"""Reference loops over the elements or axes of NumPy arrays, under MXNet's names."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

__all__ = ["assign_each", "assign_each2", "collapse_sum_like", "np_reduce"]


def assign_each(the_input: Any, function: Callable[[Any], Any] | None) -> np.ndarray:
    """Apply `function` to each element and return the results as float64; None: return a copy.

    Examples
    --------
    >>> assign_each(np.array([1.0, 2.0]), lambda x: x + 1).tolist()
    [2.0, 3.0]
    """
    return np.array(the_input) if function is None else _each(function, the_input)


def assign_each2(
    input1: Any, input2: Any, function: Callable[[Any, Any], Any] | None
) -> np.ndarray:
    """Apply `function` to each pair of elements; None: return a copy of the first array.

    Raises
    ------
    AssertionError
        The shapes differ.
    """
    if function is None:
        return np.array(input1)
    assert input1.shape == input2.shape, f"shapes {input1.shape} and {input2.shape} differ"
    return _each(function, input1, input2)


def _each(function: Callable[..., Any], *arrays: Any) -> np.ndarray:
    result = np.zeros(arrays[0].shape)
    for index in np.ndindex(result.shape):
        result[index] = function(*(array[index] for array in arrays))
    return result


def np_reduce(
    dat: np.ndarray,
    axis: int | Sequence[int] | None,
    keepdims: bool,
    numpy_reduce_func: Callable[..., Any],
) -> Any:
    """Reduce one axis at a time, starting with the last.

    Parameters
    ----------
    dat : numpy.ndarray
    axis : int, sequence of int or None
        None: all axes.
    keepdims : bool
        Whether the result keeps the reduced axes, with length 1.
    numpy_reduce_func : callable
        Reduction that takes an array and ``axis``, for example ``np.sum``.

    Examples
    --------
    >>> np_reduce(np.ones((2, 3)), None, True, np.sum).tolist()
    [[6.0]]
    """
    if axis is None:
        axes: list[int] = list(range(dat.ndim))
    else:
        axes = [axis] if isinstance(axis, int) else list(axis)
    result: Any = dat
    for one in sorted(axes, reverse=True):
        result = numpy_reduce_func(result, axis=one)
    if not keepdims:
        return result
    return result.reshape([1 if at in axes else size for at, size in enumerate(dat.shape)])


def collapse_sum_like(a: np.ndarray, shape: Sequence[int]) -> np.ndarray:
    """Sum `a` over the axes along which an array of `shape` was broadcast to `a.shape`.

    Examples
    --------
    >>> collapse_sum_like(np.ones((2, 3)), (3,)).tolist()
    [2.0, 2.0, 2.0]
    """
    added = a.ndim - len(shape)
    assert added >= 0, f"shape {tuple(shape)} has more axes than {a.shape}"
    if 0 in shape or a.size == 0:
        return np.zeros(tuple(shape), a.dtype)
    stretched = [at for at, size in enumerate(shape, added) if size != a.shape[at]]
    assert all(shape[at - added] == 1 for at in stretched), (
        f"{shape} does not broadcast to {a.shape}"
    )
    return np.asarray(a.sum(axis=(*range(added), *stretched))).reshape(tuple(shape))
