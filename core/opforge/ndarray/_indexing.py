"""Index keys: translation to a plan of the selected elements.

Pure functions on shapes and keys; nothing is read or written here. A key of ints, slices, Ellipsis
and None is *basic* and becomes a `Plan`; a key with a list or an array is *advanced* and becomes a
NumPy key. Lists and arrays of booleans are masks, as in NumPy; a single boolean is 0 or 1, as in
MXNet.
"""

import operator
from types import EllipsisType
from typing import Any, NamedTuple

import numpy as np

from ..base.numpy_semantics import is_np_shape
from ..native.array import Array

__all__ = [
    "Plan",
    "advanced_key",
    "index_array",
    "is_advanced",
    "is_whole_mask",
    "linear_indices",
    "mask_of_first_axes",
    "plan_basic",
    "without_masks",
]

Shape = tuple[int, ...]
Item = int | slice | EllipsisType | None


class Plan(NamedTuple):
    """The elements that a basic key selects.

    Attributes
    ----------
    begin, step, length : tuple of int
        First index, step and number of elements along each axis of the array.
    shape : tuple of int
        Shape of the result: without the axes of ints, with the axes of None. That of an element is
        (1,), or () with NumPy's shape semantics.
    offset : int
        Position of the first element if the elements are contiguous in memory, else -1.
    """

    begin: Shape
    step: Shape
    length: Shape
    shape: Shape
    offset: int

    @property
    def end(self) -> tuple[int | None, ...]:
        """Index after the last one along each axis, as in a slice."""
        ends = (b + s * n for b, s, n in zip(self.begin, self.step, self.length, strict=True))
        return tuple(None if end < 0 else end for end in ends)


def is_advanced(key: Any) -> bool:
    """Return whether `key` contains a list or an array."""
    if isinstance(key, tuple):
        return any(isinstance(item, (list, np.ndarray, Array, range)) for item in key)
    return isinstance(key, (list, np.ndarray, Array, range))


def plan_basic(key: Any, shape: Shape) -> Plan:
    """Return the plan of a basic key.

    Raises
    ------
    IndexError
        An int is out of bounds, or there are more indices than axes.
    ValueError
        A step is 0, or an item is not an index.

    Examples
    --------
    >>> plan_basic((1, slice(None, None, 2)), (2, 3)).shape
    (2,)
    """
    begin: list[int] = []
    step: list[int] = []
    length: list[int] = []
    target: list[int] = []
    for item in expanded(key, len(shape)):
        if item is None:
            target.append(1)
            continue
        axis = len(begin)
        if isinstance(item, slice):
            if item.step is not None and operator.index(item.step) == 0:
                raise ValueError("slice step cannot be zero")
            indices = range(*item.indices(shape[axis]))
            size = len(indices)
            begin.append(indices.start if size else 0)
            step.append(indices.step if size > 1 else 1)
            length.append(size)
            target.append(size)
        else:
            begin.append(checked_index(item, axis, shape[axis]))
            step.append(1)
            length.append(1)
    offset = _offset(shape, begin, step, length)
    result = tuple(target) if target or is_np_shape() else (1,)
    return Plan(tuple(begin), tuple(step), tuple(length), result, offset)


def expanded(key: Any, ndim: int) -> list[Any]:
    """Return one item per axis, with None in between; Ellipsis and missing items become ``:``."""
    items = list(key) if isinstance(key, tuple) else [key]
    for item in items:
        if not _is_item(item):
            raise ValueError(
                f"NDArray does not support slicing with key {item} of type {type(item)}."
            )
    positions = [at for at, item in enumerate(items) if item is Ellipsis]
    if len(positions) > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    count = sum(item is not None and item is not Ellipsis for item in items)
    if count > ndim:
        raise IndexError(f"too many indices ({count}) for array with {ndim} dimensions")
    at = positions[0] if positions else len(items)
    fill = [slice(None)] * (ndim - count)
    return items[:at] + fill + items[at + 1 :]


def _is_item(item: Any) -> bool:
    return (
        item is None
        or item is Ellipsis
        or isinstance(item, (slice, int, np.integer, np.bool_, list, np.ndarray, Array, range))
    )


def checked_index(item: Any, axis: int, size: int) -> int:
    """Return an int index counted from the start; raise if it is out of bounds."""
    index = int(item)
    if not -size <= index < size:
        raise IndexError(f"index {index} is out of bounds for axis {axis} with size {size}")
    return index + size if index < 0 else index


def _offset(shape: Shape, begin: list[int], step: list[int], length: list[int]) -> int:
    """Return the offset of the first element if the elements are contiguous, else -1."""
    offset, stride, is_cut = 0, 1, False
    if 0 in length:
        return 0
    for axis in range(len(shape) - 1, -1, -1):
        # Axes outside of a partially selected one must have one element to leave no gap.
        if length[axis] > 1 and (is_cut or step[axis] != 1):
            return -1
        is_cut = is_cut or length[axis] != shape[axis]
        offset += begin[axis] * stride
        stride *= shape[axis]
    return offset


def advanced_key(key: Any, shape: Shape) -> tuple[Any, ...]:
    """Return `key` in NumPy's form: arrays of int64, and no masks.

    Examples
    --------
    >>> advanced_key([True, False], (2, 3))
    (array([0]), slice(None, None, None))
    """
    items = expanded(without_masks(key, shape), len(shape))
    axis, result = 0, []
    for item in items:
        if isinstance(item, (list, range, np.ndarray, Array)):
            result.append(index_array(item))
        elif item is None or isinstance(item, slice):
            result.append(item)
        else:
            result.append(checked_index(item, axis, shape[axis]))
        axis += item is not None
    return tuple(result)


def without_masks(key: Any, shape: Shape) -> Any:
    """Replace each mask in an advanced key by the positions of its true elements along its axes.

    Raises
    ------
    IndexError
        The shape of a mask is not that of the axes that it indexes.

    Examples
    --------
    >>> without_masks(np.array([[False, True], [True, True]]), (2, 2))
    (array([0, 1, 1]), array([1, 0, 1]))
    """
    items = key if isinstance(key, tuple) else (key,)
    masks = [_mask(item) for item in items]
    if all(mask is None for mask in masks):
        return key
    counts = [
        int(item is not None and item is not Ellipsis) if mask is None else mask.ndim
        for item, mask in zip(items, masks, strict=True)
    ]
    found: list[Any] = []
    axis = 0
    for item, mask, count in zip(items, masks, counts, strict=True):
        if mask is None:
            found.append(item)
            axis += len(shape) - sum(counts) if item is Ellipsis else count
            continue
        lengths = shape[axis : axis + count]
        # NumPy takes masks without elements along an axis of any length; they select nothing.
        if len(lengths) != count or any(
            n not in (length, 0) for n, length in zip(mask.shape, lengths, strict=True)
        ):
            raise IndexError(
                f"a boolean index of shape {mask.shape} selects along {count} axes from axis "
                f"{axis} of an array of shape {shape}; expected {lengths}"
            )
        found.extend(np.nonzero(mask))
        axis += count
    return tuple(found) if isinstance(key, tuple) or len(found) > 1 else found[0]


def mask_of_first_axes(key: Any, shape: Shape) -> Any:
    """Return a key that is a mask of several axes as a NumPy array, or None for any other key.

    With these axes flattened, it has one position for each element that it selects.
    """
    mask = None if isinstance(key, tuple) else _mask(key)
    if mask is None or mask.ndim < 2 or mask.shape != shape[: mask.ndim] or 0 in shape:
        return None
    return mask


def is_whole_mask(key: Any, shape: Shape) -> bool:
    """Return whether a key is an array of booleans with this shape."""
    return isinstance(key, (np.ndarray, Array)) and key.dtype == np.bool_ and key.shape == shape


#: Depth of nested lists that can be an array: NumPy's greatest number of axes.
_MOST_LISTS = 64


def _mask(item: Any) -> Any:
    """Return a mask as a NumPy array, and None for any other item."""
    if isinstance(item, list) and _is_boolean(item):
        item = np.asarray(item)
    is_mask = isinstance(item, (np.ndarray, Array)) and item.ndim and item.dtype == np.bool_
    return np.asarray(item) if is_mask else None


def _is_boolean(item: Any) -> bool:
    """Return whether the first number in nested lists is a boolean."""
    for _ in range(_MOST_LISTS):  # a list may contain itself
        if not isinstance(item, list) or not item:
            break
        item = item[0]
    return isinstance(item, bool | np.bool_)


def index_array(item: Any) -> Any:
    """Return a list or array of indices as an array of int64."""
    array = np.asarray(item)
    if array.size and array.dtype.kind not in "iufb":
        raise IndexError(f"an array of {array.dtype} cannot be an index; expected numbers")
    return np.asarray(array, np.int64, order="C")


def linear_indices(key: tuple[Any, ...], shape: Shape) -> Any:
    """Return the flat positions of the elements that an advanced key selects.

    Raises
    ------
    IndexError
        An index is out of bounds, or the arrays do not broadcast.
    """
    total: Any = 0
    stride = 1
    for axis in range(len(shape) - 1, -1, -1):
        # The coordinate along one axis at each position, without memory for the full shape.
        along = np.arange(shape[axis]).reshape((-1,) + (1,) * (len(shape) - 1 - axis))
        total = total + np.broadcast_to(along, shape)[key] * stride
        stride *= shape[axis]
    return total
