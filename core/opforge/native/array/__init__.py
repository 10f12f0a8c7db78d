"""The array, how it meets others, and how it waits for the engine, as Python sees them."""

from .array import Array, is_mask, set_array_class, write_stamp
from .copies import copy_into, take_over
from .creation import empty, from_numpy, zeros
from .deferred import DeferredArray
from .exchange import numpy_alias, wrap_numpy
from .stored import StoredArray
from .tasks import Var, push

__all__ = [
    "Array",
    "DeferredArray",
    "StoredArray",
    "Var",
    "copy_into",
    "empty",
    "from_numpy",
    "is_mask",
    "numpy_alias",
    "push",
    "set_array_class",
    "take_over",
    "wrap_numpy",
    "write_stamp",
    "zeros",
]
