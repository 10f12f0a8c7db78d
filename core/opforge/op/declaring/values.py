"""Parsing of attribute values: one `Kind` for each type that an operator's attribute may have.

Every parser accepts the Python value, its NumPy form and the string that MXNet would pass, and
raises TypeError or ValueError for anything else; `attribute` turns that into the user's error.
"""

import ast
import operator
import re
from collections.abc import Callable, Sequence
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from ...base.dtypes import code_of, dtype_of, is_numeric
from ...base.errors import DTypeError

__all__ = ["KINDS", "DType", "Floats", "Kind", "OptionalInts", "Shape"]


class Shape(tuple[int, ...]):
    """Attribute type: a tuple of ints; a single int is a tuple of one."""

    __slots__ = ()


class Floats(tuple[float, ...]):
    """Attribute type: a tuple of floats; a single number is a tuple of one."""

    __slots__ = ()


class OptionalInts(tuple[Any, ...]):
    """Attribute type: a tuple of ints and Nones, as the bounds of a slice are."""

    __slots__ = ()


class DType:
    """Attribute type: an element type; the value is a NumPy scalar class."""


class Kind(NamedTuple):
    """Parser, name and example of one attribute type."""

    parse: Callable[[Any], Any]
    text: str
    sample: str
    #: Annotation for type checkers; at run time, strings are accepted as well.
    annotation: Any

    @property
    def is_tuple(self) -> bool:
        """True if values have elements."""
        return "tuple" in self.text

    def example(self, name: str) -> str:
        """Return a valid keyword argument, for error messages."""
        return f"for instance {name}={self.sample}"


_TRUE = {"true", "1"}
_FALSE = {"false", "0"}
_CLASS = re.compile(r"<class 'numpy\.(\w+?)_?'>")
#: Suffix of long integers, which Python 2 printed in tuples; MXNet's old files have them.
_LONG = re.compile(r"(?<=\d)L\b")


def _parse_int(value: Any) -> int:
    if isinstance(value, (bool, np.bool_)):
        raise TypeError("a bool is not an int")
    if isinstance(value, str):
        return int(value)
    return operator.index(value)


def _parse_float(value: Any) -> float:
    if isinstance(value, (bool, np.bool_)):
        raise TypeError("a bool is not a float")
    if isinstance(value, (str, Real)):
        return float(value)
    if isinstance(value, np.ndarray) and value.ndim == 0:
        return float(value)
    if isinstance(value, np.generic) and is_numeric(value.dtype):  # bfloat16 is not a Real
        return float(value)
    raise TypeError("not a real number")


def _parse_bool(value: Any) -> bool:
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, str):
        word = value.strip().lower()
        if word in _TRUE or word in _FALSE:
            return word in _TRUE
        raise ValueError("not a bool")
    number = operator.index(value)
    if number not in (0, 1):
        raise ValueError("not a bool")
    return bool(number)


def _parse_str(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("not a string")
    # Native code needs an exact str; members of a str enumeration are converted.
    return value if type(value) is str else str.__str__(value)


def _elements(value: Any) -> tuple[Any, ...]:
    """Return the elements of a sequence, of a number, or of the string of either."""
    if isinstance(value, str):
        value = ast.literal_eval(_LONG.sub("", value.strip()))
        if isinstance(value, str):
            raise TypeError("a string in a string")
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, (tuple, list, range)):
        return tuple(value)
    return (value,)


def _literal(value: Any) -> tuple[Any, ...]:
    try:
        return _elements(value)
    except (SyntaxError, MemoryError, RecursionError):
        raise ValueError("not a tuple") from None


def _parse_shape(value: Any) -> tuple[int, ...]:
    if type(value) is int:
        return (value,)
    return tuple(_parse_int(element) for element in _literal(value))


def _parse_floats(value: Any) -> tuple[float, ...]:
    return tuple(_parse_float(element) for element in _literal(value))


def _parse_optional_ints(value: Any) -> tuple[int | None, ...]:
    return tuple(None if element is None else _parse_int(element) for element in _literal(value))


def _parse_dtype(value: Any) -> type[np.generic]:
    if isinstance(value, str):
        # nd.Custom passes str(numpy.float32), which is "<class 'numpy.float32'>".
        match = _CLASS.fullmatch(value)
        value = match.group(1) if match else value
    try:
        return dtype_of(code_of(value))
    except DTypeError as error:
        raise ValueError(str(error)) from None


KINDS: dict[type, Kind] = {
    int: Kind(_parse_int, "int", "1", int),
    float: Kind(_parse_float, "float", "0.5", float),
    bool: Kind(_parse_bool, "boolean", "True", bool),
    str: Kind(_parse_str, "string", "'name'", str),
    Shape: Kind(_parse_shape, "Shape(tuple)", "(2, 3)", int | Sequence[int]),
    Floats: Kind(_parse_floats, "tuple of <float>", "(0.5, 1.0)", float | Sequence[float]),
    OptionalInts: Kind(
        _parse_optional_ints,
        "Shape(tuple of <int or None>)",
        "(0, None)",
        int | Sequence[int | None],
    ),
    DType: Kind(_parse_dtype, "dtype", "'float32'", str | type),
}
