"""Arrays of equal elements."""

from typing import Any

import numpy as np

from opforge.plugin_api import F, array_classes

from ..arguments import as_array, operand
from ..arrays import adopt
from ..elementwise import write_out
from ..elementwise.operands import is_array
from ..promotion import default_float, is_np_default_dtype, name_of, new_type, numpy_type
from ..shapes import broadcast_to
from ..symbols.namespace import namespace_of
from .arguments import context_of, expect_order

__all__ = [
    "empty",
    "empty_like",
    "full",
    "full_like",
    "ones",
    "ones_like",
    "zeros",
    "zeros_like",
]

NDArray = array_classes.NDArray


def empty(
    shape: Any, dtype: Any = None, order: str = "C", ctx: Any = None, *, device: Any = None
) -> Any:
    """Return an uninitialized array; for the parameters see `zeros`."""
    expect_order("empty", order)
    return adopt(F.empty(shape, context_of(ctx, device), new_type(dtype)))


def zeros(
    shape: Any, dtype: Any = None, order: str = "C", ctx: Any = None, *, device: Any = None
) -> Any:
    """Return an array of zeros.

    Parameters
    ----------
    shape : int or sequence of int
    dtype : optional
        Default float32, with ``npx.set_np(dtype=True)`` float64.
    order : {"C"}
    ctx, device : Context, optional
        Device; default: the current one.

    Examples
    --------
    >>> from opforge import np
    >>> np.zeros(2)
    array([0., 0.])
    """
    expect_order("zeros", order)
    return adopt(F.zeros(shape, context_of(ctx, device), new_type(dtype)))


def ones(
    shape: Any, dtype: Any = None, order: str = "C", ctx: Any = None, *, device: Any = None
) -> Any:
    """Return an array of ones; for the parameters see `zeros`.

    Examples
    --------
    >>> from opforge import np
    >>> np.ones((1, 2), dtype="int32")
    array([[1, 1]], dtype=int32)
    """
    expect_order("ones", order)
    return adopt(F.ones(shape, context_of(ctx, device), new_type(dtype)))


def full(
    shape: Any,
    fill_value: Any,
    dtype: Any = None,
    order: str = "C",
    ctx: Any = None,
    out: Any = None,
    *,
    device: Any = None,
) -> Any:
    """Return an array whose elements are `fill_value`.

    Parameters
    ----------
    shape : int or sequence of int
    fill_value : number or ndarray
        An array is broadcast.
    dtype : optional
        Default: bool for a bool, the type of an array, otherwise float32; with
        ``npx.set_np(dtype=True)`` NumPy's type of `fill_value`.
    order, ctx, device
        As in `zeros`.
    out : ndarray, optional

    Examples
    --------
    >>> from opforge import np
    >>> np.full(2, 7)
    array([7., 7.])
    """
    expect_order("full", order)
    if is_array(fill_value):
        cast = namespace_of(fill_value).cast
        value = fill_value if dtype is None else cast(fill_value, dtype=numpy_type(dtype))
        return write_out(adopt(broadcast_to(value, shape)), out)
    if dtype is None:
        if isinstance(fill_value, np.bool_ | bool):
            dtype = "bool"
        elif is_np_default_dtype():
            dtype = np.asarray(fill_value).dtype
        else:
            dtype = default_float()
    return write_out(
        adopt(F.full(shape, fill_value, context_of(ctx, device), numpy_type(dtype))), out
    )


def _like(
    name: str, a: Any, value: Any, dtype: Any, order: str, ctx: Any, device: Any, out: Any
) -> Any:
    """Return an array with the shape of `a`, filled with `value`."""
    expect_order(name, order)
    f, a = operand(a)
    if f is not F:
        result = f.zeros_like(a) + value if value else f.zeros_like(a)
        return result if dtype is None else f.cast(result, dtype=numpy_type(dtype))
    kind = name_of(a) if dtype is None else dtype
    return full(a.shape, value, kind, "C", context_of(ctx, device) or a.context, out)


def zeros_like(
    a: Any,
    dtype: Any = None,
    order: str = "C",
    ctx: Any = None,
    out: Any = None,
    *,
    device: Any = None,
) -> Any:
    """Return zeros of the shape, and by default of the type, of an array.

    Parameters
    ----------
    a : ndarray
    dtype, order, ctx, device
        As in `zeros`; default: those of `a`.
    out : ndarray, optional

    Examples
    --------
    >>> from opforge import np
    >>> np.zeros_like(np.ones(2))
    array([0., 0.])
    """
    return _like("zeros_like", a, 0, dtype, order, ctx, device, out)


def ones_like(
    a: Any,
    dtype: Any = None,
    order: str = "C",
    ctx: Any = None,
    out: Any = None,
    *,
    device: Any = None,
) -> Any:
    """Return ones of the shape of an array; for the parameters see `zeros_like`.

    Examples
    --------
    >>> from opforge import np
    >>> np.ones_like(np.zeros(2))
    array([1., 1.])
    """
    return _like("ones_like", a, 1, dtype, order, ctx, device, out)


def full_like(
    a: Any,
    fill_value: Any,
    dtype: Any = None,
    order: str = "C",
    ctx: Any = None,
    out: Any = None,
    *,
    device: Any = None,
) -> Any:
    """Return an array of the shape of `a` with equal elements; for the parameters see `zeros_like`.

    Examples
    --------
    >>> from opforge import np
    >>> np.full_like(np.zeros(2), 7)
    array([7., 7.])
    """
    return _like("full_like", a, fill_value, dtype, order, ctx, device, out)


def empty_like(
    prototype: Any,
    dtype: Any = None,
    order: str = "C",
    subok: Any = False,
    shape: Any = None,
    *,
    ctx: Any = None,
    device: Any = None,
) -> Any:
    """Return an uninitialized array of the shape of another; for the parameters see `zeros_like`.

    Parameters
    ----------
    shape : optional
        Other shape.
    """
    expect_order("empty_like", order)
    a = as_array(prototype)
    return empty(
        a.shape if shape is None else shape,
        name_of(a) if dtype is None else dtype,
        ctx=context_of(ctx, device) or a.context,
    )
