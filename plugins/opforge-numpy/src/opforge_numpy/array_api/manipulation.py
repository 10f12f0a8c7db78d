"""Functions that change shapes, join arrays or rearrange elements."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from opforge.plugin_api import array_classes

from .. import joining, rearranging, shapes
from ..arguments import axis_index
from .arguments import array_of, checked, converted, wrapped
from .dtypes import result_type

__all__ = [
    "broadcast_arrays",
    "broadcast_shapes",
    "broadcast_to",
    "concat",
    "expand_dims",
    "flip",
    "moveaxis",
    "permute_dims",
    "repeat",
    "reshape",
    "roll",
    "squeeze",
    "stack",
    "tile",
    "unstack",
]

NDArray = array_classes.NDArray
Axes = int | tuple[int, ...]


def broadcast_arrays(*arrays: Any) -> tuple[Any, ...]:
    """Return arrays broadcast to their common shape.

    Examples
    --------
    >>> from opforge import array_api as xp
    >>> [x.shape for x in xp.broadcast_arrays(xp.ones((2, 1)), xp.ones(3))]
    [(2, 3), (2, 3)]
    """
    listed = [array_of("broadcast_arrays", array) for array in arrays]
    result: tuple[Any, ...] = wrapped(shapes.broadcast_arrays(*listed))
    return result


def broadcast_shapes(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape to which arrays of several shapes broadcast.

    Examples
    --------
    >>> from opforge import array_api as xp
    >>> xp.broadcast_shapes((2, 1), (3,))
    (2, 3)
    """
    return np.broadcast_shapes(*shapes)


def broadcast_to(x: Any, /, shape: tuple[int, ...]) -> Any:
    """Repeat axes of length 1 to a shape.

    Examples
    --------
    >>> from opforge import array_api as xp
    >>> xp.broadcast_to(xp.asarray([1, 2]), (2, 2))
    array([[1, 2],
           [1, 2]], dtype=int64)
    """
    return wrapped(shapes.broadcast_to(array_of("broadcast_to", x), shape))


def _of_one_type(name: str, arrays: Sequence[Any]) -> list[Any]:
    """Return arrays converted to the type to which the standard promotes all."""
    listed = [array_of(name, array) for array in arrays]
    common = result_type(*listed)
    return [converted(array, common) for array in listed]


def concat(arrays: Sequence[Any], /, *, axis: int | None = 0) -> Any:
    """Join arrays along an existing axis.

    Parameters
    ----------
    arrays : sequence of Array
        Their lengths along the other axes are equal.
    axis : int or None, default 0
        None: join the flattened arrays.

    Examples
    --------
    >>> from opforge import array_api as xp
    >>> xp.concat([xp.ones((2, 3)), xp.zeros((1, 3))]).shape
    (3, 3)
    """
    return wrapped(joining.concatenate(_of_one_type("concat", arrays), axis))


def stack(arrays: Sequence[Any], /, *, axis: int = 0) -> Any:
    """Join arrays of equal shape along a new axis.

    Examples
    --------
    >>> from opforge import array_api as xp
    >>> xp.stack([xp.ones(3), xp.zeros(3)], axis=1).shape
    (3, 2)
    """
    return wrapped(joining.stack(_of_one_type("stack", arrays), axis))


def unstack(x: Any, /, *, axis: int = 0) -> tuple[Any, ...]:
    """Return the entries along an axis.

    Examples
    --------
    >>> from opforge import array_api as xp
    >>> xp.unstack(xp.asarray([1, 2]))
    (array(1, dtype=int64), array(2, dtype=int64))
    """
    x = array_of("unstack", x)
    first = wrapped(shapes.moveaxis(x, axis, 0) if axis_index(axis, x.ndim) else x)
    return tuple(first[i] for i in range(first.shape[0]))


def expand_dims(x: Any, /, axis: Axes) -> Any:
    """Insert axes of length 1 at positions of the result.

    Examples
    --------
    >>> from opforge import array_api as xp
    >>> xp.expand_dims(xp.ones((2, 3)), axis=1).shape
    (2, 1, 3)
    """
    return wrapped(shapes.expand_dims(array_of("expand_dims", x), axis))


def squeeze(x: Any, /, axis: Axes) -> Any:
    """Remove axes of length 1.

    Examples
    --------
    >>> from opforge import array_api as xp
    >>> xp.squeeze(xp.ones((1, 3, 1)), axis=0).shape
    (3, 1)
    """
    x = array_of("squeeze", x)
    axes = shapes.distinct_axes(axis, x.ndim)
    return wrapped(shapes.squeeze(x, axes))


def reshape(x: Any, /, shape: tuple[int, ...], *, copy: bool | None = None) -> Any:
    """Return the same elements with another shape, in the same memory unless `copy` is True.

    Examples
    --------
    >>> from opforge import array_api as xp
    >>> xp.reshape(xp.arange(6), (2, -1)).shape
    (2, 3)
    """
    result = wrapped(shapes.reshape(array_of("reshape", x), shape))
    return result.copy() if copy else result


def permute_dims(x: Any, /, axes: tuple[int, ...]) -> Any:
    """Return the array with its axes in another order.

    Examples
    --------
    >>> from opforge import array_api as xp
    >>> xp.permute_dims(xp.ones((2, 3, 4)), (1, 0, 2)).shape
    (3, 2, 4)
    """
    return wrapped(shapes.transpose(array_of("permute_dims", x), tuple(axes)))


def moveaxis(x: Any, source: Axes, destination: Axes, /) -> Any:
    """Move axes to other positions; the others keep their order.

    Examples
    --------
    >>> from opforge import array_api as xp
    >>> xp.moveaxis(xp.ones((2, 3, 4)), 0, -1).shape
    (3, 4, 2)
    """
    return wrapped(shapes.moveaxis(array_of("moveaxis", x), source, destination))


def flip(x: Any, /, *, axis: Axes | None = None) -> Any:
    """Reverse the order of elements along axes, default all.

    Examples
    --------
    >>> from opforge import array_api as xp
    >>> xp.flip(xp.asarray([1, 2, 3]))
    array([3, 2, 1], dtype=int64)
    """
    return wrapped(rearranging.flip(array_of("flip", x), axis))


def roll(x: Any, /, shift: Axes, *, axis: Axes | None = None) -> Any:
    """Shift elements along axes; those beyond the end continue at the start.

    Examples
    --------
    >>> from opforge import array_api as xp
    >>> xp.roll(xp.asarray([1, 2, 3, 4]), 1)
    array([4, 1, 2, 3], dtype=int64)
    """
    return wrapped(rearranging.roll(array_of("roll", x), shift, axis))


def repeat(x: Any, repeats: Any, /, *, axis: int | None = None) -> Any:
    """Repeat each element.

    Parameters
    ----------
    x : Array
    repeats : int or Array of int
        Number of repetitions, the same or one for each element along the axis.
    axis : int, optional
        Default: flatten the array.

    Examples
    --------
    >>> from opforge import array_api as xp
    >>> xp.repeat(xp.asarray([1, 2]), 2)
    array([1, 1, 2, 2], dtype=int64)
    """
    if isinstance(repeats, NDArray):
        repeats = checked("repeat", repeats, "integral").asnumpy()
    return wrapped(rearranging.repeat(array_of("repeat", x), repeats, axis))


def tile(x: Any, repetitions: tuple[int, ...], /) -> Any:
    """Repeat a whole array along each axis.

    Examples
    --------
    >>> from opforge import array_api as xp
    >>> xp.tile(xp.asarray([1, 2]), (2,))
    array([1, 2, 1, 2], dtype=int64)
    """
    return wrapped(rearranging.tile(array_of("tile", x), repetitions))
