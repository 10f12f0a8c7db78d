"""C types for programs that call MXNet's C library directly; no library is loaded.

Helpers that build C values work. The library's functions do not exist in opforge: using one raises
an error that says so.
"""

import ctypes
from collections.abc import Sequence
from typing import Any, NoReturn

from opforge.base.errors import OpforgeError
from opforge.operator import NDArrayHandle as NDArrayHandle

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
SymbolHandle = ExecutorHandle = KVStoreHandle = NDArrayHandle

_REMEDY = (
    "opforge has no libmxnet.so. Call the Python API instead, or write a plugin for the "
    "missing functions: docs/guides/authors.md"
)


class _Library:
    """Placeholder for the handle of MXNet's C library, `base._LIB`."""

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)  # Python looks these up on any object
        raise OpforgeError(f"base._LIB.{name} is a function of MXNet's C library; {_REMEDY}")

    def __repr__(self) -> str:
        return "<no libmxnet.so>"


library = _Library()


def check_call(ret: int) -> None:
    """Raise an error if the return value of a C function is not 0.

    Raises
    ------
    OpforgeError
        `ret` is not 0.
    """
    if ret != 0:
        raise OpforgeError(f"a C function returned {ret} and no library can report why; {_REMEDY}")


def py_str(x: bytes) -> str:
    """Decode UTF-8 bytes."""
    return x.decode("utf-8")


def c_str(string: str) -> ctypes.c_char_p:
    """Return a str as a C string in UTF-8."""
    return ctypes.c_char_p(string.encode("utf-8"))


def c_str_array(strings: Sequence[str]) -> Any:
    """Return a C array of strings in UTF-8."""
    return c_array(ctypes.c_char_p, [string.encode("utf-8") for string in strings])


def c_array(ctype: Any, values: Sequence[Any]) -> Any:
    """Return a C array of elements of a `ctypes` type.

    Examples
    --------
    >>> list(c_array(mx_uint, [1, 2]))
    [1, 2]
    """
    return (ctype * len(values))(*values)
