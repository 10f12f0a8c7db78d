"""Arguments of functions of the standard: arrays, numbers, element types and devices."""

from typing import Any

import numpy as np

from opforge.plugin_api import DTypeError, array_classes, context
from opforge.plugin_api import F as nd

from ..arrays import adopt, ndarray
from .dtypes import common_type, expect_fit, isdtype

__all__ = [
    "array_of",
    "checked",
    "context_for",
    "converted",
    "number_as_array",
    "pair",
    "set_array_class",
    "wrapped",
]

NDArray = array_classes.NDArray
#: The class of arrays of the standard, set by the module that defines it.
_array_class: list[type] = []


def set_array_class(cls: type) -> None:
    """Set the class of results."""
    _array_class[:] = [cls]


def wrapped(result: Any) -> Any:
    """Return arrays, also in tuples and lists, as arrays of the standard with the same memory."""
    if isinstance(result, NDArray):
        return array_classes.as_class(result, _array_class[0])
    if isinstance(result, tuple | list):
        return tuple(map(wrapped, result))
    return result


def array_of(name: str, value: Any) -> Any:
    """Return an argument that must be an array as one of `mx.np`, whose functions compute."""
    if isinstance(value, NDArray):
        return array_classes.as_class(value, ndarray)
    raise TypeError(f"{name}: expected an array, got {type(value).__name__}; call asarray first")


def checked(name: str, value: Any, kind: str) -> Any:
    """Return an argument that must be an array whose elements are of a kind.

    `kind` is one that `isdtype` accepts, several of these with "|" between them, or "any".
    """
    array = array_of(name, value)
    expect_kind(name, array, kind)
    return array


def expect_kind(name: str, array: Any, kind: str) -> None:
    """Reject an array whose elements are not of a kind."""
    if kind != "any" and not isdtype(array.dtype, tuple(kind.split("|"))):
        expected = kind.replace("|", " or ")
        raise DTypeError(f"{name}: the array has type {array.dtype}; expected {expected}")


def number_as_array(name: str, number: Any, like: Any) -> Any:
    """Return a Python number as an array without axes, with the type and device of another."""
    expect_fit(name, number, like.dtype)
    values = np.asarray(number, dtype=like.dtype)
    return adopt(nd.array(values, ctx=like.context, dtype=like.dtype))


def pair(name: str, x1: Any, x2: Any, kind: str = "any") -> tuple[Any, Any]:
    """Return two operands, of which one may be a Python number, as arrays of their common type."""
    if not isinstance(x1, NDArray):
        x2 = checked(name, x2, kind)
        return number_as_array(name, x1, x2), x2
    x1 = checked(name, x1, kind)
    if not isinstance(x2, NDArray):
        return x1, number_as_array(name, x2, x1)
    x2 = checked(name, x2, kind)
    if x1.dtype_code == x2.dtype_code:
        return x1, x2
    common = common_type(x1.dtype, x2.dtype)
    return converted(x1, common), converted(x2, common)


def converted(array: Any, dtype: Any) -> Any:
    """Return an array with another element type; the array itself if it has this type."""
    return array if array.dtype == dtype else nd.cast(array, dtype=dtype)


def context_for(device: Any) -> Any:
    """Return a device, given as a Context, a name such as "cpu", or None, as a Context or None."""
    return None if device is None else context.Context(device)
