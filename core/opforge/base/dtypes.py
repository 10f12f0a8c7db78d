"""The table of element types.

A type is known by its index in `TYPES`, its code. The table is the only list of types in Python;
tests compare the constants of `native/memory/types.pxd` and of the C header with it.
"""

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from .errors import DTypeError

__all__ = [
    "CLASSES",
    "CODES",
    "FLOAT_NAMES",
    "GROUPS",
    "ITEMSIZES",
    "NAMES",
    "NUMPY_NAMES",
    "TYPES",
    "code_of",
    "code_of_mxnet",
    "dtype_of",
    "element_type",
    "expanded",
    "is_floating",
    "is_half",
    "is_numeric",
    "last_exact",
]


class ElementType(NamedTuple):
    """Row of the table.

    Parameters
    ----------
    name : str
        Name of the NumPy type, or of the type of ml_dtypes.
    bits : int
        Size of an element in memory.
    precision : int
        Bits of the significand of a float, including the implicit one, or of the magnitude of an
        integer.
    exponent : int
        Bits of the exponent; 0 for integers.
    computed_in : str
        Type in which kernels compute, and in which sums are accumulated at least.
    mxnet_code : int
        Code in MXNet's files and graphs.
    safetensors : str
        Code in files of safetensors.
    """

    name: str
    bits: int
    precision: int
    exponent: int
    computed_in: str
    mxnet_code: int
    safetensors: str

    @property
    def is_floating(self) -> bool:
        """True for floating-point types."""
        return self.exponent > 0

    @property
    def is_half(self) -> bool:
        """True for floating-point types of 16 bits."""
        return self.exponent > 0 and self.bits == 16

    @property
    def largest(self) -> float:
        """Largest finite value.

        Examples
        --------
        >>> [element_type(name).largest for name in ("float16", "uint8")]
        [65504.0, 255.0]
        """
        if not self.exponent:
            return 2.0**self.precision - 1
        return (2 - 2.0 ** (1 - self.precision)) * 2.0 ** (2 ** (self.exponent - 1) - 1)


TYPES = (
    ElementType("float32", 32, 24, 8, "float32", 0, "F32"),
    ElementType("float64", 64, 53, 11, "float64", 1, "F64"),
    ElementType("float16", 16, 11, 5, "float32", 2, "F16"),
    ElementType("uint8", 8, 8, 0, "int32", 3, "U8"),
    ElementType("int32", 32, 31, 0, "int32", 4, "I32"),
    ElementType("int8", 8, 7, 0, "int32", 5, "I8"),
    ElementType("int64", 64, 63, 0, "int64", 6, "I64"),
    ElementType("bool", 8, 1, 0, "int32", 7, "BOOL"),
    ElementType("bfloat16", 16, 8, 8, "float32", 12, "BF16"),
)
NAMES = tuple([row.name for row in TYPES])
ITEMSIZES = tuple([row.bits // 8 for row in TYPES])
FLOAT_NAMES = tuple([row.name for row in TYPES if row.is_floating])
#: Types that NumPy has.
NUMPY_NAMES = tuple([name for name in NAMES if name != "bfloat16"])
#: Words that declarations may use for several types.
GROUPS = {
    "any": NAMES,
    "floating": FLOAT_NAMES,
    "integer": tuple([row.name for row in TYPES if row.exponent == 0 and row.precision > 1]),
}
_IS_FLOATING = tuple([row.is_floating for row in TYPES])
_BY_MXNET_CODE = {row.mxnet_code: code for code, row in enumerate(TYPES)}

#: NumPy scalar classes by code; None for a class of ml_dtypes that has not been needed yet, because
#: importing that package takes 5 ms.
CLASSES: list[type[np.generic] | None] = [
    np.dtype(name).type if name in NUMPY_NAMES else None for name in NAMES
]
#: Codes by class, `numpy.dtype` and name.
CODES: dict[Any, int] = {}
for _code, _type in enumerate(CLASSES):
    CODES[NAMES[_code]] = _code
    if _type is not None:
        CODES.update({_type: _code, np.dtype(_type): _code})
CODES.update({None: 0, float: 0, int: 4, bool: 7})


def code_of(dtype: Any) -> int:
    """Return the code of `dtype`, given as any spelling of a supported type.

    ``None`` and ``float`` mean float32 and ``int`` means int32, as in MXNet.

    Raises
    ------
    DTypeError
        `dtype` is not a supported type.

    Examples
    --------
    >>> code_of("float64"), code_of(np.uint8), code_of(None)
    (1, 3, 0)
    """
    try:
        return CODES[dtype]
    except (KeyError, TypeError):
        pass
    try:
        return CODES[np.dtype(dtype).name]
    except (KeyError, TypeError):
        raise DTypeError(
            f"dtype {dtype!r} is not supported; expected one of {', '.join(NAMES)}"
        ) from None


def element_type(dtype: Any) -> ElementType:
    """Return the row of a type, given in any spelling that `code_of` accepts.

    Examples
    --------
    >>> element_type(np.float16).computed_in, element_type("int8").is_floating
    ('float32', False)
    """
    return TYPES[code_of(dtype)]


@cache
def expanded(words: tuple[str, ...], numpy_only: bool = False) -> tuple[str, ...]:
    """Return the names of the types that names and `GROUPS` stand for, in the order of the table.

    Parameters
    ----------
    words : tuple of str
    numpy_only : bool, default False
        Whether groups stand only for types that NumPy has.

    Raises
    ------
    DTypeError
        A word is neither.

    Examples
    --------
    >>> expanded(("integer", "bool"))
    ('uint8', 'int32', 'int8', 'int64', 'bool')
    """
    for word in words:
        if word not in GROUPS and word not in NAMES:
            raise DTypeError(
                f"{word!r} is not an element type; expected some of {', '.join((*GROUPS, *NAMES))}"
            )
    meant = {name for word in words for name in GROUPS.get(word, ())}
    if numpy_only:
        meant.intersection_update(NUMPY_NAMES)
    return tuple([name for name in NAMES if name in meant or name in words])


def code_of_mxnet(code: int) -> int:
    """Return the code of the type that MXNet's files know as `code`; -1 if there is none.

    Examples
    --------
    >>> code_of_mxnet(12) == code_of("bfloat16"), code_of_mxnet(8)
    (True, -1)
    """
    return _BY_MXNET_CODE.get(code, -1)


def dtype_of(code: int) -> type[np.generic]:
    """Return the NumPy scalar class of `code`.

    Examples
    --------
    >>> dtype_of(2).__name__, dtype_of(8).__name__
    ('float16', 'bfloat16')
    """
    return CLASSES[code] or _load_class(code)


def _load_class(code: int) -> type[np.generic]:
    """Import the class of a type that NumPy lacks, and store it for the next use."""
    import ml_dtypes

    found: type[np.generic] = getattr(ml_dtypes, NAMES[code])
    CODES.update({found: code, np.dtype(found): code})
    CLASSES[code] = found
    return found


def is_floating(code: int) -> bool:
    """Return whether `code` is that of a floating-point type.

    Examples
    --------
    >>> [name for code, name in enumerate(NAMES) if is_floating(code)]
    ['float32', 'float64', 'float16', 'bfloat16']
    """
    return code >= 0 and _IS_FLOATING[code]


def is_half(code: int) -> bool:
    """Return whether `code` is that of a floating-point type of 16 bits.

    Examples
    --------
    >>> [name for code, name in enumerate(NAMES) if is_half(code)]
    ['float16', 'bfloat16']
    """
    return code >= 0 and TYPES[code].is_half


def is_numeric(dtype: np.dtype[Any]) -> bool:
    """Return whether NumPy elements of this type are numbers that arrays can be made of.

    Examples
    --------
    >>> [is_numeric(np.dtype(name)) for name in ("uint16", "bool", "str", "complex64")]
    [True, True, False, False]
    """
    return dtype.kind in "biuf" or dtype.name in CODES  # NumPy does not know the kind of bfloat16


def last_exact(code: int) -> int:
    """Return the largest n such that the type represents every integer from 0 to n.

    Examples
    --------
    >>> [last_exact(code_of(name)) for name in ("uint8", "bool", "float16", "bfloat16")]
    [255, 1, 2048, 256]
    """
    row = TYPES[code]
    return 2**row.precision - (not _IS_FLOATING[code])
