"""Evenly spaced values and window functions."""

from typing import Any

import numpy as np

from opforge.plugin_api import AttributeValueError, F, array_classes

from ..arrays import adopt
from ..promotion import is_np_default_dtype, numpy_type
from .arguments import context_of, from_host

__all__ = [
    "arange",
    "blackman",
    "hamming",
    "hanning",
    "linspace",
    "logspace",
]

NDArray = array_classes.NDArray


def arange(
    start: Any,
    stop: Any = None,
    step: Any = 1,
    dtype: Any = None,
    ctx: Any = None,
    *,
    device: Any = None,
) -> Any:
    """Return evenly spaced values from `start` up to, not including, `stop`.

    Parameters
    ----------
    start : number
        First value; if `stop` is None, the end, with 0 as first value.
    stop : number, optional
    step : number, default 1
        None: 1.
    dtype : optional
        Default float32, with ``npx.set_np(dtype=True)`` NumPy's type.
    ctx, device : Context, optional

    Examples
    --------
    >>> from opforge import np
    >>> np.arange(2, 8, 2)
    array([2., 4., 6.])
    """
    start, stop, step = (one.item() if hasattr(one, "item") else one for one in (start, stop, step))
    step = 1 if step is None else step
    if step == 0:
        raise ZeroDivisionError("np.arange: step is 0")
    if dtype is None:
        dtype = np.arange(start, stop, step).dtype if is_np_default_dtype() else "float32"
    return adopt(F.arange(start, stop, step, ctx=context_of(ctx, device), dtype=numpy_type(dtype)))


def _values(value: Any) -> Any:
    return value.asnumpy() if isinstance(value, NDArray) else value


def linspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: Any = True,
    retstep: Any = False,
    dtype: Any = None,
    axis: int = 0,
    ctx: Any = None,
    *,
    device: Any = None,
) -> Any:
    """Return `num` evenly spaced values from `start` to `stop`.

    Parameters
    ----------
    start, stop : number or array_like
    num : int, default 50
    endpoint : bool, default True
        Whether the last value is `stop`.
    retstep : bool, default False
        Whether to return the distance of the values too.
    dtype : optional
        Default float32; integers are rounded down.
    axis : int, default 0
        Axis of the values, if `start` or `stop` are arrays.
    ctx, device : Context, optional

    Examples
    --------
    >>> from opforge import np
    >>> np.linspace(0, 1, 3)
    array([0. , 0.5, 1. ])
    """
    if not isinstance(num, int | np.integer) or num < 0:
        raise AttributeValueError(f"np.linspace: num is {num!r}, expected an integer >= 0")
    options: Any = {"dtype": None if dtype is None else np.dtype(dtype), "axis": axis}
    ends = (_values(start), _values(stop))
    values, step = np.linspace(*ends, num, bool(endpoint), retstep=True, **options)
    result = from_host(values, dtype, context_of(ctx, device, start, stop))
    return (result, step) if retstep else result


def logspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: Any = True,
    base: Any = 10.0,
    dtype: Any = None,
    axis: int = 0,
    ctx: Any = None,
    *,
    device: Any = None,
) -> Any:
    """Return powers of `base` whose exponents are evenly spaced; for the parameters see `linspace`.

    Examples
    --------
    >>> from opforge import np
    >>> np.logspace(0, 2, 3)
    array([  1.,  10., 100.])
    """
    kind: Any = None if dtype is None else np.dtype(dtype)
    values = np.logspace(_values(start), _values(stop), num, endpoint, base, kind, axis)
    return from_host(values, dtype, context_of(ctx, device, start, stop))


def hanning(M: int, dtype: Any = None, ctx: Any = None) -> Any:
    """Return the Hanning window, a raised cosine, of `M` points.

    Parameters
    ----------
    M : int
    dtype : optional
        Default float32.
    ctx : Context, optional

    Examples
    --------
    >>> from opforge import np
    >>> np.hanning(3)
    array([0., 1., 0.])
    """
    return from_host(np.hanning(M), dtype, ctx)


def hamming(M: int, dtype: Any = None, ctx: Any = None) -> Any:
    """Return the Hamming window of `M` points; for the parameters see `hanning`.

    Examples
    --------
    >>> from opforge import np
    >>> np.hamming(3)
    array([0.08, 1.  , 0.08])
    """
    return from_host(np.hamming(M), dtype, ctx)


def blackman(M: int, dtype: Any = None, ctx: Any = None) -> Any:
    """Return the Blackman window of `M` points; for the parameters see `hanning`.

    Examples
    --------
    >>> from opforge import np
    >>> np.blackman(3).shape
    (3,)
    """
    return from_host(np.blackman(M), dtype, ctx)
