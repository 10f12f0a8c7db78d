"""C types that programs import which call MXNet's C library themselves; loads no library.

The library's functions cannot be there: opforge's core is another one. Each leads to an error that
says so; what only makes C values works.
"""

import ctypes
from collections.abc import Sequence
from typing import Any, NoReturn

from .errors import OpforgeError

__all__ = [
    "ExecutorHandle",
    "KVStoreHandle",
    "NDArrayHandle",
    "SymbolHandle",
    "c_array",
    "c_str",
    "c_str_array",
    "check_call",
    "library",
    "mx_float",
    "mx_int",
    "mx_uint",
    "py_str",
]

mx_int = ctypes.c_int
mx_uint = ctypes.c_uint
mx_float = ctypes.c_float
NDArrayHandle = SymbolHandle = ExecutorHandle = KVStoreHandle = ctypes.c_void_p

_REMEDY = (
    "opforge has no libmxnet.so. Call the Python API instead, or write a plugin for what it lacks: "
    "docs/guides/authors.md"
)


class _Library:
    """Stands where MXNet's programs look for the functions of its C library."""

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)  # Python asks an object for these
        raise OpforgeError(f"base._LIB.{name} is a function of MXNet's C library; {_REMEDY}")

    def __repr__(self) -> str:
        return "<no libmxnet.so>"


library = _Library()


def check_call(ret: int) -> None:
    """Do nothing for 0, what MXNet's C functions return where all is well.

    Raises
    ------
    OpforgeError
        `ret` is something else.
    """
    if ret != 0:
        raise OpforgeError(
            f"a C function returned {ret}, and there is no library to ask why; {_REMEDY}"
        )


def py_str(x: bytes) -> str:
    """Return the text of bytes in UTF-8."""
    return x.decode("utf-8")


def c_str(string: str) -> ctypes.c_char_p:
    """Return a C string in UTF-8."""
    return ctypes.c_char_p(string.encode("utf-8"))


def c_str_array(strings: Sequence[str]) -> Any:
    """Return a C array of strings in UTF-8."""
    return c_array(ctypes.c_char_p, [string.encode("utf-8") for string in strings])


def c_array(ctype: Any, values: Sequence[Any]) -> Any:
    """Return a C array of a type of `ctypes`.

    Examples
    --------
    >>> list(c_array(mx_uint, [1, 2]))
    [1, 2]
    """
    return (ctype * len(values))(*values)
