"""Operands and results of elementwise functions: checks, conversions, output arrays."""

import operator
from numbers import Number
from types import ModuleType
from typing import Any

import numpy as np

from opforge.plugin_api import DTypeError, F, ShapeError, array_classes, element_type

from ..arguments import from_numpy
from ..promotion import default_float, is_bool, is_integer, is_same_kind, name_of
from ..symbols.calls import deferred
from ..symbols.namespace import is_symbol

__all__ = [
    "as_bool",
    "as_float",
    "as_number",
    "as_operand",
    "check_keywords",
    "expect_bool_out",
    "filled",
    "is_array",
    "is_value",
    "limits",
    "on_host",
    "write_out",
]

NDArray = array_classes.NDArray


#: Keywords of NumPy's functions, with the only value that is supported.
_KEYWORDS = {"where": True, "casting": "same_kind", "order": "K", "dtype": None, "subok": True}

_CASTINGS = ("no", "equiv", "safe", "same_kind", "unsafe")


def check_keywords(name: str, keywords: dict[str, Any]) -> None:
    """Reject keywords, except those of NumPy with their default values."""
    for keyword, value in keywords.items():
        if keyword not in _KEYWORDS:
            raise TypeError(f"np.{name} got an unexpected keyword argument '{keyword}'")
        if keyword == "dtype" and value is not None:
            np.dtype(value)  # raises TypeError for what is not a type
        if keyword == "casting" and value not in _CASTINGS:
            raise TypeError(f"np.{name}: casting is {value!r}, expected one of {_CASTINGS}")
        if not (value is _KEYWORDS[keyword] or value == _KEYWORDS[keyword]):
            raise NotImplementedError(f"np.{name}: {keyword}={value!r} is not supported")


def is_array(value: Any) -> bool:
    """Return whether a value is an array or a Symbol."""
    return isinstance(value, NDArray) or is_symbol(value)


def as_number(name: str, value: Any) -> Any:
    """Return a number as a Python number."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, Number) and not isinstance(value, complex):
        return value
    raise TypeError(f"np.{name} takes arrays of np and numbers, type {type(value)} not supported")


def as_bool(f: ModuleType, array: Any) -> Any:
    """Convert to bool."""
    return array if is_bool(array) else f.cast(array, dtype="bool")


def as_float(f: ModuleType, array: Any) -> Any:
    """Convert integers to the default floating-point type."""
    return f.cast(array, dtype=default_float()) if is_integer(array) else array


def expect_bool_out(name: str, out: Any) -> None:
    """Reject arrays of other types for results that are bool."""
    if isinstance(out, NDArray) and not is_bool(out):
        raise DTypeError(f"np.{name}: out has type {name_of(out)}; expected bool")


def write_out(result: Any, out: Any, any_type: bool = False) -> Any:
    """Return `result`, or `out` with its elements if `out` is given.

    Parameters
    ----------
    result : ndarray
    out : ndarray, tuple of one ndarray, or None
        An array of the same shape; gradients flow through it.
    any_type : bool, default False
        Whether floats may be truncated to integers.
    """
    if out is None:
        return result
    if isinstance(out, tuple):
        (out,) = out
    if not isinstance(out, NDArray):
        raise TypeError(f"out must be an array of np, got {type(out)}")
    if out.shape != result.shape:
        raise ShapeError(f"out has shape {out.shape}; expected {result.shape}, that of the result")
    if not (any_type or is_same_kind(result.dtype_code, out.dtype_code)):
        raise DTypeError(
            f"out has type {name_of(out)}, which cannot hold the result of type {name_of(result)}; "
            "pass an array of another type, or convert with astype()"
        )
    if result.dtype_code == out.dtype_code:
        F._copy(result, out=out)
    else:
        F.cast(result, dtype=name_of(out), out=out)
    return out


#: Integers up to this size are exact as the operators' numbers, which are float64.
_EXACT = 2**53


def limits(array: Any) -> tuple[float, float]:
    """Return the smallest and the largest value of the type of an array of integers."""
    largest = element_type(name_of(array)).largest
    return 0 if name_of(array) in ("uint8", "bool") else -largest - 1, largest


def is_value(array: Any, number: Any) -> bool:
    """Return whether a number is a value of the type of an array of integers."""
    low, high = limits(array)
    return low <= number <= high and number == int(number)


def as_operand(array: Any, number: Any) -> Any:
    """Return a number, or an array of it if it is a large integer."""
    if (
        isinstance(number, int)
        and operator.abs(number) > _EXACT
        and isinstance(array, NDArray)
        and name_of(array) == "int64"
    ):
        return F.array(np.int64(number), ctx=array.context, dtype="int64")
    return number


def filled(f: Any, like: Any, value: float) -> Any:
    """Return an array like another with equal elements."""
    if f is F:
        return F.full(like.shape, value, ctx=like.context, dtype=name_of(like))
    return f.zeros_like(like) + value


def on_host(name: str, *operands: Any) -> Any:
    """Compute a function of integers, for which opforge has no operator, by NumPy."""
    if any(map(is_symbol, operands)):
        return deferred(name, operands, {}, reads_elements=True)
    like = next(x for x in operands if isinstance(x, NDArray))
    values = [x.asnumpy() if isinstance(x, NDArray) else x for x in operands]
    with np.errstate(all="ignore"):
        result = getattr(np, name)(*values)
    return from_numpy(np.asarray(result, dtype=name_of(like)), like)
