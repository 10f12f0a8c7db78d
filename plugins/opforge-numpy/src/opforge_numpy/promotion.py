"""Element types of results: promotion of operands and the default types of new arrays."""

from functools import cache
from typing import Any

from opforge.plugin_api import F, UnknownShapeError, element_type, numpy_semantics

from .symbols.namespace import is_symbol, namespace_of

#: Nothing belongs to the namespace of `np`.
__all__: list[str] = []

is_np_default_dtype = numpy_semantics.is_np_default_dtype

_NAMES = (
    "float32",
    "float64",
    "float16",
    "uint8",
    "int32",
    "int8",
    "int64",
    "bool",
    "bfloat16",
)
#: Names by `dtype_code` of an array.
_NAME_OF = {F.empty((0,), dtype=name).dtype_code: name for name in _NAMES}
#: Codes of floating-point types.
FLOATING = frozenset(code for code, name in _NAME_OF.items() if element_type(name).is_floating)
_BOOL = next(code for code, name in _NAME_OF.items() if name == "bool")


def default_float() -> str:
    """Return the type of new arrays and of means and quotients of integers."""
    return "float64" if is_np_default_dtype() else "float32"


def new_type(dtype: Any) -> Any:
    """Return the type of new arrays for a requested one; None: the default of floats."""
    return default_float() if dtype is None else numpy_type(dtype)


def default_integer() -> str:
    """Return the type of new arrays of indices."""
    return "int64" if is_np_default_dtype() else "int32"


def type_code(array: Any) -> int:
    """Return the code of an element type, -1 if that of a Symbol is unknown."""
    code: int = array.type.code if is_symbol(array) else array.dtype_code
    return code


def is_floating(array: Any) -> bool:
    """Return whether the elements of an array, or of a Symbol, are floating-point numbers."""
    return type_code(array) in FLOATING


def is_integer(array: Any) -> bool:
    """Return whether the elements of an array, or of a Symbol, are integers or bool."""
    code = type_code(array)
    return code >= 0 and code not in FLOATING


def is_bool(array: Any) -> bool:
    """Return whether the elements of an array, or of a Symbol, are bool."""
    return type_code(array) == _BOOL


def numpy_type(dtype: Any, default: Any = None) -> Any:
    """Return an element type as NumPy reads it: `float` and `int` have 64 bits; None: `default`."""
    if dtype is None:
        return default
    return "float64" if dtype is float else "int64" if dtype is int else dtype


@cache
def promoted_name(left: str, right: str) -> str:
    """Return the name of the type to which two types, given by name, are promoted."""
    names = left, right
    types = [element_type(name) for name in names]
    if types[0].is_floating != types[1].is_floating:
        return names[0] if types[0].is_floating else names[1]
    larger, smaller = sorted(types, key=lambda one: one.precision, reverse=True)
    if smaller.exponent > larger.exponent:  # float16 and bfloat16
        return "float32"
    if {larger.name, smaller.name} == {"int8", "uint8"}:  # there is no int16
        return "int32"
    return str(larger.name)


def promoted(left: Any, right: Any) -> tuple[Any, Any]:
    """Convert two arrays to a common type.

    The common type of floats, or of integers, is the more precise one; that of a float and an
    integer is the float's. Symbols of unknown types stay the same.

    Examples
    --------
    >>> from opforge import np
    >>> promoted(np.ones(1, dtype="int64"), np.ones(1, dtype="float16"))[0].dtype
    dtype('float16')
    """
    codes = type_code(left), type_code(right)
    if codes[0] == codes[1] or -1 in codes:
        return left, right
    name = promoted_name(_NAME_OF[codes[0]], _NAME_OF[codes[1]])
    left, right = (
        array if _NAME_OF[code] == name else namespace_of(array).cast(array, dtype=name)
        for array, code in zip((left, right), codes, strict=True)
    )
    return left, right


@cache
def is_same_kind(source: int, target: int) -> bool:
    """Return whether values of one type, given by code, may be written to arrays of another.

    Integers may become floats but not the reverse, and bool may become any type.
    """

    def rank(code: int) -> int:
        return 2 if code in FLOATING else int(_NAME_OF[code] != "bool")

    return rank(source) <= rank(target)


def name_of(array: Any) -> str:
    """Return the name of an array's element type.

    Raises
    ------
    UnknownShapeError
        The type of a Symbol is unknown.
    """
    code = type_code(array)
    if code < 0:
        raise UnknownShapeError(f"{array!r} has no element type before it is bound to arrays")
    return _NAME_OF[code]
