"""Python interface of the array class: creation, copies, exchange with NumPy, and engine tasks."""

from .array import Array, as_class, is_mask, set_array_class, write_stamp
from .copies import copy_into, take_over
from .creation import empty, from_numpy, zeros
from .deferred import DeferredArray
from .dlpack import numpy_from_dlpack
from .exchange import numpy_alias, wrap_numpy
from .stored import StoredArray
from .tasks import Var, push

__all__ = [
    "Array",
    "DeferredArray",
    "StoredArray",
    "Var",
    "as_class",
    "copy_into",
    "empty",
    "from_numpy",
    "is_mask",
    "numpy_alias",
    "numpy_from_dlpack",
    "push",
    "set_array_class",
    "take_over",
    "wrap_numpy",
    "write_stamp",
    "zeros",
]
