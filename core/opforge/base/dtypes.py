"""Element types and their MXNet codes.

The codes are part of the file format and of `create_operator`'s `in_dtypes`; they never change.
"""

from typing import Any

import numpy as np

from .errors import DTypeError

__all__ = [
    "CODES",
    "DTYPES",
    "ITEMSIZES",
    "NAMES",
    "code_of",
    "dtype_of",
    "is_floating",
    "last_exact",
]

#: NumPy scalar classes, indexed by code.
DTYPES: tuple[type[np.generic], ...] = (
    np.float32,
    np.float64,
    np.float16,
    np.uint8,
    np.int32,
    np.int8,
    np.int64,
    np.bool_,
)
NAMES = tuple(np.dtype(t).name for t in DTYPES)
ITEMSIZES = tuple(np.dtype(t).itemsize for t in DTYPES)
CODES: dict[Any, int] = {}
for _code, _type in enumerate(DTYPES):
    CODES.update({_type: _code, np.dtype(_type): _code, np.dtype(_type).name: _code})
CODES.update({None: 0, float: 0, int: 4, bool: 7})


def code_of(dtype: Any) -> int:
    """Return the code of `dtype`, anything that names one of the eight supported types.

    ``None`` and ``float`` mean float32 and ``int`` means int32, as in MXNet.

    Raises
    ------
    DTypeError
        `dtype` names no supported type.

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
        return CODES[np.dtype(dtype)]
    except (KeyError, TypeError):
        raise DTypeError(
            f"dtype {dtype!r} is not supported; expected one of {', '.join(NAMES)}"
        ) from None


def dtype_of(code: int) -> type[np.generic]:
    """Return the NumPy scalar class of `code`."""
    return DTYPES[code]


def is_floating(code: int) -> bool:
    """Tell whether `code` names float16, float32 or float64."""
    return 0 <= code <= 2


def last_exact(code: int) -> int:
    """Return up to where the type of `code` has every whole number.

    Examples
    --------
    >>> last_exact(code_of("uint8")), last_exact(code_of("float16"))
    (255, 2048)
    """
    return _LAST_EXACT[code]


# A float has all whole numbers until the distance of neighbours is 2.
_LAST_EXACT = tuple(
    2 ** (np.finfo(t).nmant + 1)
    if issubclass(t, np.floating)
    else int(np.iinfo(t).max)
    if issubclass(t, np.integer)
    else 1
    for t in DTYPES
)
