"""Handles of arrays, for callbacks written for MXNet's C library.

Such callbacks create an array from a handle:
``NDArray(ctypes.cast(array, NDArrayHandle), writable=False)``. A handle is an integer that refers
to its array as long as that exists.
"""

import ctypes
from typing import Any
from weakref import WeakValueDictionary

__all__ = ["array_of", "handle_of"]

_arrays: "WeakValueDictionary[int, Any]" = WeakValueDictionary()


def handle_of(array: Any) -> ctypes.c_void_p:
    """Return the handle of an array."""
    _arrays[id(array)] = array
    return ctypes.c_void_p(id(array))


def array_of(handle: Any) -> Any:
    """Return the array of a handle, or None if there is none.

    Examples
    --------
    >>> from opforge import nd
    >>> x = nd.ones((2,))
    >>> array_of(handle_of(x)) is x, array_of(ctypes.c_void_p(0))
    (True, None)
    """
    if not isinstance(handle, ctypes.c_void_p) or handle.value is None:
        return None
    return _arrays.get(handle.value)
