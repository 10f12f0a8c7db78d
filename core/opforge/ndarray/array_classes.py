"""Classes of arrays: NDArray, and subclasses that show the same memory with other methods.

Operators run on NDArrays, and their results get the class of the first input. New arrays get the
class that the program requests: NDArray, or that of ``mx.np`` inside ``np_array``. opforge-numpy
sets its class when it is imported; without it, programs get NDArrays.
"""

from typing import Any

from ..base.numpy_semantics import is_np_array, numpy_class
from ..base.numpy_semantics import set_numpy_class as set_numpy_class
from ..native.array import as_class as as_class
from ..native.array.deferred import DeferredArray as DeferredArray
from ..native.dispatch.basic_indexing import read_adjacent as read_adjacent
from ..native.dispatch.basic_indexing import read_rows as read_rows
from ..native.dispatch.basic_indexing import write_adjacent as write_adjacent
from .ndarray import NDArray as NDArray

__all__ = [
    "DeferredArray",
    "NDArray",
    "as_class",
    "as_requested",
    "read_adjacent",
    "read_rows",
    "set_numpy_class",
    "write_adjacent",
]


def as_requested(values: Any) -> Any:
    """Give new NDArrays, also in lists and tuples, the requested class; return them.

    Parameters
    ----------
    values : object
        Other objects than NDArrays are left alone.
    """
    cls = numpy_class() if is_np_array() else None
    return values if cls is None else _convert_given(values, cls)


def _convert_given(values: Any, cls: type) -> Any:
    if isinstance(values, list | tuple):
        for item in values:
            _convert_given(item, cls)
    elif type(values) is NDArray:
        values.__class__ = cls
    return values
