"""Conversion of arguments of `mx.np` functions to arrays, and of results to requested ones."""

from collections.abc import Iterable
from functools import reduce
from types import ModuleType
from typing import Any

import numpy as np

from opforge.plugin_api import F as nd
from opforge.plugin_api import OpforgeError, array_classes, autograd, numpy_semantics

from .arrays import adopt, ndarray
from .promotion import default_float, promoted, type_code
from .symbols.namespace import is_symbol, namespace_of

__all__ = [
    "AxisError",
    "as_array",
    "axis_index",
    "from_numpy",
    "full_like_of",
    "operand",
    "operands",
    "scalar_of",
    "stored",
    "with_shape",
]

NDArray = array_classes.NDArray
is_recording = autograd.is_recording
Shape = tuple[int, ...]


class AxisError(np.exceptions.AxisError, OpforgeError):
    """Axis out of bounds: NumPy's error, and MXNet's."""


def as_array(value: Any, like: Any = None) -> Any:
    """Return an array or a Symbol unchanged, and other values as an array.

    Numbers and lists get the element type and the device of `like`, if given, else the defaults. If
    `like` is a Symbol, the result is one too.
    """
    if is_symbol(like) and not is_symbol(value):
        return _constant(value, like)
    if isinstance(value, NDArray) or is_symbol(value):
        return value
    dtype = getattr(value, "dtype", like.dtype if like is not None else default_float())
    return adopt(nd.array(np.asarray(value, dtype), getattr(like, "context", None), dtype))


def operand(value: Any) -> tuple[ModuleType, Any]:
    """Return the operators for an argument, and the argument as an array or a Symbol."""
    if isinstance(value, NDArray):
        return nd, value
    value = as_array(value)
    return namespace_of(value), value


def operands(values: Iterable[Any]) -> tuple[ModuleType, list[Any]]:
    """Return the operators for several arguments, and the arguments in one element type.

    Numbers and lists get the type of the arrays. Arrays of different types are promoted: floating
    types win over integer types, the wider one over the narrower.
    """
    values = list(values)
    if values and _are_alike(values):
        return nd, values
    like = next((value for value in values if isinstance(value, NDArray)), None)
    F = namespace_of(values)
    if F is not nd:
        like = next(value for value in values if is_symbol(value))
        arrays = [value if is_symbol(value) else _constant(value, like) for value in values]
    else:
        arrays = [as_array(value, like) for value in values]
    if len(set(map(type_code, arrays))) > 1:
        common = reduce(lambda found, array: promoted(found, array)[0], arrays)
        arrays = [promoted(array, common)[0] for array in arrays]
    return F, arrays


def _are_alike(values: list[Any]) -> bool:
    """Return whether all values are arrays of np of one element type."""
    first = values[0]
    for value in values:
        if type(value) is not ndarray or value.dtype_code != first.dtype_code:
            return False
    return True


def _constant(value: Any, like: Any) -> Any:
    """Return an array, a number or a list as a constant of the graph of a Symbol."""
    from .symbols.operators import constant

    dtype = getattr(value, "dtype", None) or getattr(like, "dtype", default_float())
    array = value if isinstance(value, NDArray) else nd.array(value, dtype=dtype)
    return constant(namespace_of(like), array)


def from_numpy(values: Any, like: Any) -> Any:
    """Return a NumPy array as an array of the class and on the device of another.

    It becomes a constant of the graph if the other one is a Symbol.
    """
    if is_symbol(like):
        return _constant(values, like)
    result = nd.array(values, ctx=like.context, dtype=values.dtype)
    result.__class__ = type(like)
    return result


def full_like_of(array: Any, shape: Shape, value: Any) -> Any:
    """Return equal elements with the class, the type and the device of another array."""
    if is_symbol(array):
        return namespace_of(array).full(shape, value, dtype=np.dtype(array.dtype).name)
    result = nd.full(shape, value, ctx=array.context, dtype=array.dtype)
    result.__class__ = type(array)
    return result


def with_shape(array: Any, shape: Shape) -> Any:
    """Return the elements of an array, in the same memory, with a shape of the same size."""
    if not isinstance(array, NDArray):
        if not (shape or numpy_semantics.is_np_shape()):
            return array  # () would be the shape that is not known
        return namespace_of(array).reshape(array, shape=shape)
    if array.shape == shape:
        return array
    if not is_recording():
        return array._view(0, shape)
    if 0 in shape:
        # In the method's shape, 0 keeps a length.
        return nd.reshape_like(array, full_like_of(array, shape, 0))
    return NDArray.reshape(array, shape)


def scalar_of(array: Any) -> Any:
    """Return an array or a Symbol of one element without axes."""
    if type(array) is ndarray and not is_recording():
        return array._view(0, ())
    return with_shape(array, ())


def axis_index(axis: Any, ndim: int) -> int:
    """Return an axis counted from the first one.

    Raises
    ------
    AxisError
        `axis` is out of bounds.
    """
    if not -ndim <= axis < ndim:
        raise AxisError(axis, ndim)
    return int(axis) + ndim if axis < 0 else int(axis)


def stored(result: Any, out: Any) -> Any:
    """Return `result`, or `out` with its elements if `out` is given."""
    if out is None:
        return result
    if out.shape != result.shape:
        raise ValueError(f"out has shape {out.shape}, but the result has shape {result.shape}")
    out[...] = result
    return out
