"""C types for programs that call MXNet's C library directly; no library is loaded.

Helpers that build C values work. `library` has a few of the library's functions; using another one
raises an error.
"""

import ctypes
from collections.abc import Sequence
from typing import Any, NoReturn

from opforge import engine, random
from opforge import ndarray as nd
from opforge.base.context import num_gpus
from opforge.base.errors import OpforgeError
from opforge.operator import NDArrayHandle as NDArrayHandle

from .array_functions import ArrayFunctions, write

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


class _NoFunctionError(OpforgeError, AttributeError):
    """Error for a function of MXNet's C library that opforge lacks."""


class _Library(ArrayFunctions):
    """Replacement for the handle of MXNet's C library, `base._LIB`.

    The methods have the names, arguments and return values of C functions.
    """

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)  # Python looks these up on any object
        raise _NoFunctionError(f"base._LIB.{name} is a function of MXNet's C library; {_REMEDY}")

    def __repr__(self) -> str:
        return "<no libmxnet.so>"

    def MXGetVersion(self, out: Any) -> int:
        """Write the version of MXNet whose interface opforge has, 10901 for 1.9.1."""
        return write(out, 10901)

    def MXGetGPUCount(self, out: Any) -> int:
        """Write the number of usable GPUs."""
        return write(out, num_gpus())

    def MXNDArrayWaitAll(self) -> int:
        """Wait until all operations have finished."""
        nd.waitall()
        return 0

    def MXRandomSeed(self, seed: Any) -> int:
        """Seed the random number generators."""
        random.seed(_read(seed))
        return 0

    def MXEngineSetBulkSize(self, bulk_size: Any, prev_bulk_size: Any) -> int:
        """Set the number of operations that are executed together; write the former one."""
        return write(prev_bulk_size, engine.set_bulk_size(_read(bulk_size)))

    def MXSetNumOMPThreads(self, thread_num: Any) -> int:
        """Return 0: opforge does not use OpenMP; ``OPFORGE_NUM_THREADS`` sets its threads."""
        return 0

    def MXNotifyShutdown(self) -> int:
        """Return 0: opforge ends its threads by itself."""
        return 0


def _read(value: Any) -> int:
    """Return a number, from a value of a type of `ctypes` too."""
    return int(getattr(value, "value", value))


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
