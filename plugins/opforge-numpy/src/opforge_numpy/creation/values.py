"""Arrays from values, copies, and questions about shared memory."""

from typing import Any

import numpy as np

from opforge.plugin_api import F, array_classes

from ..arguments import operand
from ..arrays import adopt
from ..elementwise import write_out
from ..promotion import is_np_default_dtype, numpy_type
from .arguments import context_of

__all__ = [
    "array",
    "copy",
    "may_share_memory",
    "shares_memory",
]

NDArray = array_classes.NDArray


def array(object: Any, dtype: Any = None, ctx: Any = None, *, device: Any = None) -> Any:
    """Return a new array with the elements of `object`.

    Parameters
    ----------
    object : array_like
        A number, nested sequences, an array of np, nd or NumPy, anything with a buffer or
        ``__dlpack__``.
    dtype : optional
        Element type; default: that of an array, float32 for numbers and sequences. With
        ``npx.set_np(dtype=True)``, numbers and sequences have NumPy's type.
    ctx, device : Context, optional
        Device; default: the current one.

    Examples
    --------
    >>> from opforge import np
    >>> np.array([[1, 2], [3, 4]])
    array([[1., 2.],
           [3., 4.]])
    """
    if dtype is None and not isinstance(object, NDArray):
        dtype = getattr(object, "dtype", None)
        if hasattr(object, "__dlpack__") and not isinstance(dtype, np.dtype):
            object, dtype = F.from_dlpack(object), None
        elif dtype is None:
            dtype = "float32"
            if is_np_default_dtype():
                object = np.asarray(object)
                dtype = object.dtype
    return adopt(F.array(object, ctx=context_of(ctx, device), dtype=numpy_type(dtype)))


def copy(a: Any, out: Any = None) -> Any:
    """Return a copy of an array; gradients flow through it.

    Examples
    --------
    >>> from opforge import np
    >>> np.copy(np.ones(2))
    array([1., 1.])
    """
    f, a = operand(a)
    return write_out(adopt(f.identity(a)), out)


def may_share_memory(a: Any, b: Any, max_work: Any = None) -> Any:
    """Return whether two arrays overlap in memory.

    Examples
    --------
    >>> from opforge import np
    >>> x = np.ones(3)
    >>> np.may_share_memory(x, x[1:]), np.may_share_memory(x, x.copy())
    (True, False)
    """
    for value in (a, b):
        if not isinstance(value, NDArray):
            raise TypeError(f"np.may_share_memory takes arrays of np, got {type(value)}")
    return np.may_share_memory(_memory(a), _memory(b))


def _memory(array: Any) -> Any:
    """Return NumPy's view of an array's memory."""
    return np.frombuffer(array, dtype=np.uint8) if array.size else np.empty(0)


shares_memory = may_share_memory
