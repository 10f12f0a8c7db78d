"""Functions that join arrays or split them."""

from collections.abc import Sequence
from operator import index
from typing import Any

from opforge.plugin_api import F as nd
from opforge.plugin_api import ShapeError

from .arguments import as_array, axis_index, operand, operands, stored
from .shapes import atleast_1d, atleast_2d, atleast_3d, expand_dims, ravel
from .symbols.namespace import namespace_of

__all__ = [
    "array_split",
    "column_stack",
    "concatenate",
    "dsplit",
    "dstack",
    "hsplit",
    "hstack",
    "row_stack",
    "split",
    "stack",
    "vsplit",
    "vstack",
]


def concatenate(seq: Sequence[Any], axis: int | None = 0, out: Any = None) -> Any:
    """Join arrays along an existing axis.

    Parameters
    ----------
    seq : sequence of ndarray
        Their lengths along the other axes are equal.
    axis : int or None, default 0
        None: join the flattened arrays.
    out : ndarray, optional

    Examples
    --------
    >>> from opforge import np
    >>> np.concatenate([np.ones((2, 3)), np.zeros((1, 3))]).shape
    (3, 3)
    """
    F, arrays = operands(seq)
    if not arrays:
        raise ValueError("concatenate: need at least one array, got none")
    if axis is None:
        arrays, axis = [ravel(array) for array in arrays], 0
    elif F is nd and not arrays[0].ndim:
        raise ValueError("concatenate: arrays without axes cannot be joined; use stack")
    return stored(F.concat(*arrays, dim=axis), out)


def stack(arrays: Sequence[Any], axis: int = 0, out: Any = None) -> Any:
    """Join arrays of equal shape along a new axis.

    Examples
    --------
    >>> from opforge import np
    >>> np.stack([np.ones(3), np.zeros(3)], axis=1).shape
    (3, 2)
    """
    F, listed = operands(arrays)
    if not listed:
        raise ValueError("stack: need at least one array, got none")
    return stored(F.stack(*listed, axis=axis), out)


def _as_list(result: Any) -> list[Any]:
    """Return the results of `atleast_1d` and similar functions as a list."""
    return result if isinstance(result, list) else [result]


def vstack(arrays: Sequence[Any], out: Any = None) -> Any:
    """Join arrays along their rows, the first axis; vectors are rows.

    Examples
    --------
    >>> from opforge import np
    >>> np.vstack([np.ones(3), np.zeros((2, 3))]).shape
    (3, 3)
    """
    return concatenate(_as_list(atleast_2d(*operands(arrays)[1])), 0, out)


def row_stack(arrays: Sequence[Any]) -> Any:
    """Join arrays along their rows; the same as `vstack`.

    Examples
    --------
    >>> from opforge import np
    >>> np.row_stack([np.ones(3), np.zeros(3)]).shape
    (2, 3)
    """
    return vstack(arrays)


def hstack(arrays: Sequence[Any]) -> Any:
    """Join arrays along their columns, the second axis; vectors along the first.

    Examples
    --------
    >>> from opforge import np
    >>> np.hstack([np.ones((2, 1)), np.zeros((2, 3))]).shape
    (2, 4)
    """
    listed = _as_list(atleast_1d(*operands(arrays)[1]))
    return concatenate(listed, 0 if listed[0].ndim == 1 else 1)


def dstack(arrays: Sequence[Any]) -> Any:
    """Join arrays along the third axis.

    Examples
    --------
    >>> from opforge import np
    >>> np.dstack([np.ones((2, 3)), np.zeros((2, 3))]).shape
    (2, 3, 2)
    """
    return concatenate(_as_list(atleast_3d(*operands(arrays)[1])), 2)


def column_stack(tup: Sequence[Any]) -> Any:
    """Join vectors as columns, and matrices along their columns.

    Examples
    --------
    >>> from opforge import np
    >>> np.column_stack([np.ones(3), np.zeros((3, 2))]).shape
    (3, 3)
    """
    columns = [
        expand_dims(array, 1) if array.ndim == 1 else atleast_2d(array)
        for array in operands(tup)[1]
    ]
    return concatenate(columns, 1)


def split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Any]:
    """Split an array along an axis.

    Parameters
    ----------
    ary : ndarray
    indices_or_sections : int or sequence of int
        Number of equal parts, or the indices where parts begin.
    axis : int, default 0

    Raises
    ------
    ValueError
        The parts would not be equal.

    Examples
    --------
    >>> from opforge import np
    >>> np.split(np.arange(4), 2)
    [array([0., 1.]), array([2., 3.])]
    """
    F, ary = operand(ary)
    if not isinstance(indices_or_sections, int):
        return array_split(ary, indices_or_sections, axis)
    if F is not nd:
        parts = F.split(ary, num_outputs=indices_or_sections, axis=axis)
        # A single output stands for an array, whose items are rows.
        count = indices_or_sections
        return [parts[i] for i in range(count)] if count > 1 else [parts]
    at = axis_index(axis, ary.ndim)
    if indices_or_sections < 1 or ary.shape[at] % indices_or_sections:
        raise ShapeError(
            f"split: array split does not result in an equal division: axis {axis} has "
            f"{ary.shape[at]} elements, got {indices_or_sections} parts"
        )
    if not ary.size:
        return array_split(ary, indices_or_sections, axis)
    parts = F.split(ary, num_outputs=indices_or_sections, axis=at)
    return parts if isinstance(parts, list) else [parts]


def array_split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Any]:
    """Split an array along an axis; parts may have different lengths.

    Parameters
    ----------
    ary : ndarray
    indices_or_sections : int or sequence of int
        Number of parts, or the indices where parts begin.
    axis : int, default 0

    Examples
    --------
    >>> from opforge import np
    >>> np.array_split(np.arange(3), 2)
    [array([0., 1.]), array([2.])]
    """
    ary = as_array(ary)
    at = axis_index(axis, ary.ndim)
    length = ary.shape[at]
    if isinstance(indices_or_sections, int):
        count = indices_or_sections
        if count < 1:
            raise ValueError(f"array_split: the number of sections is {count}; expected at least 1")
        each, rest = divmod(length, count)
        starts = [i * each + min(i, rest) for i in range(count)]
    else:
        starts = [0, *map(index, indices_or_sections)]
    parts = zip(starts, [*starts[1:], length], strict=True)
    return [_part(ary, at, slice(begin, end).indices(length)) for begin, end in parts]


def _part(array: Any, axis: int, bounds: tuple[int, int, int]) -> Any:
    begin, end = bounds[0], max(bounds[:2])
    if begin == end:
        # An index past the end is no position for the operator.
        begin = end = 0
    F = namespace_of(array)
    if axis == 0 and begin < end and F is nd:
        return array[begin:end]
    return F.slice_axis(array, axis=axis, begin=begin, end=end)


def hsplit(ary: Any, indices_or_sections: Any) -> list[Any]:
    """Split an array along its columns; a vector along its only axis.

    Examples
    --------
    >>> from opforge import np
    >>> [part.shape for part in np.hsplit(np.ones((2, 4)), 2)]
    [(2, 2), (2, 2)]
    """
    ary = _with_axes("hsplit", ary, 1)
    return split(ary, indices_or_sections, 1 if ary.ndim > 1 else 0)


def vsplit(ary: Any, indices_or_sections: Any) -> list[Any]:
    """Split an array along its rows.

    Examples
    --------
    >>> from opforge import np
    >>> [part.shape for part in np.vsplit(np.ones((4, 2)), 2)]
    [(2, 2), (2, 2)]
    """
    return split(_with_axes("vsplit", ary, 2), indices_or_sections, 0)


def dsplit(ary: Any, indices_or_sections: Any) -> list[Any]:
    """Split an array along its third axis.

    Examples
    --------
    >>> from opforge import np
    >>> [part.shape for part in np.dsplit(np.ones((1, 2, 4)), 2)]
    [(1, 2, 2), (1, 2, 2)]
    """
    return split(_with_axes("dsplit", ary, 3), indices_or_sections, 2)


def _with_axes(name: str, array: Any, count: int) -> Any:
    array = as_array(array)
    if array.ndim < count:
        raise ValueError(f"{name}: the array has {array.ndim} axes; expected at least {count}")
    return array
