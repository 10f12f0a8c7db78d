"""Element types of the array API standard: constants, kinds, promotion and limits.

opforge lacks int16, uint16, uint32, uint64 and complex numbers, so the namespace does not have
these names. float16 and bfloat16, which are not part of the standard, count as real floating types.
"""

import builtins
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from opforge.plugin_api import DTypeError, array_classes, element_type

from ..promotion import default_float, promoted_name

__all__ = [
    "bool",
    "can_cast",
    "finfo",
    "float32",
    "float64",
    "iinfo",
    "int8",
    "int32",
    "int64",
    "isdtype",
    "result_type",
    "uint8",
]

NDArray = array_classes.NDArray

bool = np.dtype("bool")
int8, int32, int64 = np.dtype("int8"), np.dtype("int32"), np.dtype("int64")
uint8 = np.dtype("uint8")
float32, float64 = np.dtype("float32"), np.dtype("float64")

#: Types of the standard by name, in the order of `__array_namespace_info__().dtypes()`.
STANDARD = {str(one): one for one in (bool, int8, int32, int64, uint8, float32, float64)}
_GROUPS = {
    "integral": ("signed integer", "unsigned integer"),
    "numeric": ("signed integer", "unsigned integer", "real floating", "complex floating"),
}
_KINDS = ("bool", *_GROUPS["numeric"])
_PYTHON_TYPES: dict[type, tuple[str, ...]] = {
    builtins.bool: ("bool",),
    int: _GROUPS["numeric"],
    float: ("real floating", "complex floating"),
    complex: ("complex floating",),
}


@cache
def dtype_of(dtype: Any) -> Any:
    """Return an element type as a `numpy.dtype`.

    Raises
    ------
    DTypeError
        opforge has no such type.
    """
    named = {float: default_float(), int: "int64"}.get(dtype, dtype)
    return np.dtype(element_type(named).name)


def _type_of(value: Any) -> Any:
    """Return the type of an array, or a type itself."""
    return value.dtype if isinstance(value, NDArray) else dtype_of(value)


@cache
def kind_of(dtype: Any) -> str:
    """Return the kind of an element type, as the standard names it."""
    row = element_type(dtype)
    if row.is_floating:
        return "real floating"
    if row.precision == 1:
        return "bool"
    return "signed integer" if row.precision < row.bits else "unsigned integer"


def kinds_in(kind: str) -> tuple[str, ...]:
    """Return the kinds that a name of the standard, such as "numeric", stands for."""
    if kind in _GROUPS:
        return _GROUPS[kind]
    if kind in _KINDS:
        return (kind,)
    raise ValueError(f"isdtype: kind is {kind!r}; expected one of {', '.join((*_KINDS, *_GROUPS))}")


def isdtype(dtype: Any, kind: Any) -> builtins.bool:
    """Return whether an element type is of a kind.

    Parameters
    ----------
    dtype : dtype
    kind : str, dtype or tuple of them
        "bool", "signed integer", "unsigned integer", "integral", "real floating",
        "complex floating" or "numeric"; a dtype matches itself.

    Examples
    --------
    >>> from opforge import array_api as xp
    >>> xp.isdtype(xp.int8, "integral"), xp.isdtype(xp.int8, (xp.float32, "bool"))
    (True, False)
    """
    if isinstance(kind, tuple):
        return any(isdtype(dtype, one) for one in kind)
    if isinstance(kind, str):
        return kind_of(dtype) in kinds_in(kind)
    return builtins.bool(dtype_of(dtype) == np.dtype(kind))


@cache
def common_type(left: Any, right: Any) -> Any:
    """Return the type to which the standard promotes two types.

    Raises
    ------
    DTypeError
        The standard does not promote the two, or opforge lacks the result.
    """
    if left == right:
        return left
    kinds = {kind_of(left), kind_of(right)}
    if len(kinds) > 1 and kinds != set(_GROUPS["integral"]):
        raise DTypeError(
            f"{left} and {right} have no common type in the array API standard; convert one array "
            "with astype()"
        )
    if {left, right} == {int8, uint8}:
        raise DTypeError(
            "int8 and uint8 promote to int16, which opforge lacks; convert both to int32"
        )
    return np.dtype(promoted_name(left.name, right.name))


def fits(value: Any, dtype: Any) -> builtins.bool:
    """Return whether a Python number may be combined with arrays of a type."""
    return kind_of(dtype) in _PYTHON_TYPES.get(type(value), ())


def expect_fit(name: str, value: Any, dtype: Any) -> None:
    """Reject a Python number that may not be combined with arrays of a type."""
    if not fits(value, dtype):
        raise DTypeError(f"{name}: {value!r} cannot be combined with arrays of {dtype}")
    if type(value) is int and kind_of(dtype) != "real floating":
        limits = np.iinfo(dtype)
        if not limits.min <= value <= limits.max:
            raise OverflowError(f"{name}: {value} is not a value of {dtype}")


def result_type(*arrays_and_dtypes: Any) -> Any:
    """Return the type to which arrays, types and Python numbers are promoted.

    Examples
    --------
    >>> from opforge import array_api as xp
    >>> xp.result_type(xp.int32, xp.int64, 1)
    dtype('int64')
    """
    numbers = [one for one in arrays_and_dtypes if type(one) in _PYTHON_TYPES]
    types: list[Any] = [
        _type_of(one) for one in arrays_and_dtypes if type(one) not in _PYTHON_TYPES
    ]
    if not types:
        raise ValueError("result_type: expected at least one array or dtype")
    found = types[0]
    for other in types[1:]:
        found = common_type(found, other)
    for number in numbers:
        if not fits(number, found):
            raise DTypeError(f"result_type: {number!r} does not promote to {found}")
    return found


def can_cast(from_: Any, to: Any, /) -> builtins.bool:
    """Return whether the standard promotes the type of an array, or a type, to another.

    Examples
    --------
    >>> from opforge import array_api as xp
    >>> xp.can_cast(xp.int32, xp.int64), xp.can_cast(xp.int64, xp.int32)
    (True, False)
    """
    source, target = _type_of(from_), dtype_of(to)
    try:
        return builtins.bool(common_type(source, target) == target)
    except DTypeError:
        return False


class FloatLimits(NamedTuple):
    """Limits of a floating-point type, the result of `finfo`."""

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: Any


class IntegerLimits(NamedTuple):
    """Limits of an integer type, the result of `iinfo`."""

    bits: int
    max: int
    min: int
    dtype: Any


def finfo(type: Any, /) -> FloatLimits:
    """Return the limits of a floating-point type, or of the type of an array.

    Examples
    --------
    >>> from opforge import array_api as xp
    >>> xp.finfo(xp.float32).bits
    32
    """
    dtype = _type_of(type)
    row = element_type(dtype)
    if not row.is_floating:
        raise DTypeError(f"finfo: {dtype} is not a floating-point type; use iinfo")
    smallest = 2.0 ** (2 - 2 ** (row.exponent - 1))
    largest = row.largest
    return FloatLimits(row.bits, 2.0 ** (1 - row.precision), largest, -largest, smallest, dtype)


def iinfo(type: Any, /) -> IntegerLimits:
    """Return the limits of an integer type, or of the type of an array.

    Examples
    --------
    >>> from opforge import array_api as xp
    >>> xp.iinfo(xp.uint8).max
    255
    """
    dtype = _type_of(type)
    if kind_of(dtype) not in _GROUPS["integral"]:
        raise DTypeError(f"iinfo: {dtype} is not an integer type")
    limits = np.iinfo(dtype)
    return IntegerLimits(limits.bits, int(limits.max), int(limits.min), dtype)
