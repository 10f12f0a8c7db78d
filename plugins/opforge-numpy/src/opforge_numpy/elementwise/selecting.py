"""Functions that select, limit or round elements: where, clip, around, nan_to_num."""

import operator
from typing import Any

import numpy as np

from opforge.plugin_api import F, array_classes, autograd, element_type

from ..arrays import adopt, ndarray
from ..promotion import (
    FLOATING,
    default_float,
    is_integer,
    is_np_default_dtype,
    name_of,
    promoted,
    type_code,
)
from ..selection import nonzero
from ..shapes import broadcast_to
from ..symbols.namespace import namespace_of
from .binary import maximum, minimum
from .operands import as_float, as_number, check_keywords, filled, is_array, limits, write_out
from .unary import round_to_even

__all__ = [
    "around",
    "clip",
    "nan_to_num",
    "round",
    "round_",
    "where",
]

NDArray = array_classes.NDArray
_operators: Any = F
_CLIP = _operators.clip.direct
_WHERE = _operators.where.direct
_NUMBERS = frozenset({int, float})


def clip(a: Any, a_min: Any, a_max: Any, out: Any = None) -> Any:
    """Return the elements limited to a range.

    Parameters
    ----------
    a : ndarray or number
    a_min, a_max : number, ndarray or None
        Lowest and highest value; at most one is None.
    out : ndarray, optional

    Examples
    --------
    >>> from opforge import np
    >>> np.clip(np.array([-1, 0.5, 3]), 0, 1)
    array([0. , 0.5, 1. ])
    """
    if (
        type(a) is ndarray
        and a.dtype_code in FLOATING
        and type(a_min) in _NUMBERS
        and type(a_max) in _NUMBERS
        and out is None
    ):
        return _CLIP((a,), (a_min, a_max))
    if a_min is None and a_max is None:
        raise ValueError("np.clip: a_min and a_max are None; set at least one")
    if not is_array(a):
        return np.clip(as_number("clip", a), a_min, a_max)
    bounds = [x.item() if isinstance(x, NDArray) and x.size == 1 else x for x in (a_min, a_max)]
    if any(is_array(x) for x in bounds):
        if a_min is not None:
            a = maximum(a, a_min)
        return write_out(a if a_max is None else minimum(a, a_max), out)
    f = namespace_of(a)
    low, high = (None if x is None else as_number("clip", x) for x in bounds)
    return write_out(adopt(_clip(f, a, low, high)), out)


def _clip(f: Any, a: Any, low: Any, high: Any) -> Any:
    if is_integer(a):
        smallest, largest = limits(a)
        if name_of(a) != "int64":
            low = smallest if low is None else max(low, smallest)
            return f.clip(a, low, largest if high is None else min(high, largest))
        # The largest int64 is not a float.
        low, high = (None if x is None or not smallest < x < largest else x for x in (low, high))
    if low is not None and high is not None:
        return f.clip(a, float(low), float(high))
    limited = a if low is None else f._maximum_scalar(a, float(low))
    if high is not None:
        limited = f._minimum_scalar(limited, float(high))
    return f.identity(a) if limited is a else limited


def around(x: Any, decimals: int = 0, out: Any = None, **kwargs: Any) -> Any:
    """Return the elements rounded to a number of decimals, halves to the even digit.

    Parameters
    ----------
    x : ndarray or number
    decimals : int, default 0
        Negative: digits left of the point.
    out : ndarray, optional

    Examples
    --------
    >>> from opforge import np
    >>> np.around(np.array([0.5, 1.5, 2.6]))
    array([0., 2., 3.])
    """
    check_keywords("around", kwargs)
    if not is_array(x):
        return np.around(as_number("around", x), decimals)
    return write_out(adopt(_round(namespace_of(x), x, decimals)), out)


def _round(f: Any, x: Any, decimals: int) -> Any:
    if is_integer(x):
        if decimals >= 0:
            return f.identity(x)
        return f.cast(_round(f, f.cast(x, dtype="float64"), decimals), dtype=name_of(x))
    if decimals == 0:
        return round_to_even(f, x)
    scale = 10.0 ** operator.abs(decimals)
    if decimals > 0:
        return round_to_even(f, x * scale) / scale
    return round_to_even(f, x / scale) * scale


round = around
round_ = around


def nan_to_num(
    x: Any,
    copy: bool = True,
    nan: float = 0.0,
    posinf: float | None = None,
    neginf: float | None = None,
    **kwargs: Any,
) -> Any:
    """Return the elements with nan and infinities replaced by numbers.

    Parameters
    ----------
    x : ndarray or number
    copy : bool, default True
        False: write to `x`, except while autograd records, which needs the elements of `x`.
    nan : float, default 0
        Replacement of nan.
    posinf, neginf : float, optional
        Replacements of the infinities; default: the largest and the lowest finite number.

    Examples
    --------
    >>> from opforge import np
    >>> np.nan_to_num(np.array([np.nan, 1]), nan=7)
    array([7., 1.])
    """
    check_keywords("nan_to_num", kwargs)
    if not is_array(x):
        return np.nan_to_num(as_number("nan_to_num", x), nan=nan, posinf=posinf, neginf=neginf)
    f = namespace_of(x)
    if is_integer(x):
        return f.identity(x) if copy else x
    largest = element_type(name_of(x)).largest
    y = f.clip(x, -largest, largest)
    for chosen, value in ((np.inf, posinf), (-np.inf, neginf)):
        if value is not None:
            y = f.where(f._equal_scalar(x, chosen), filled(f, x, value), y)
    y = f.where(f.isnan(x), filled(f, x, nan), y)
    return write_out(adopt(y), None if copy or f is not F or autograd.is_recording() else x)


def where(condition: Any, x: Any = None, y: Any = None) -> Any:
    """Return elements of `x` where `condition` is true and of `y` elsewhere, with broadcasting.

    Parameters
    ----------
    condition : ndarray or bool
    x, y : ndarray or number
        Without both, the result is that of ``np.nonzero(condition)``.

    Examples
    --------
    >>> from opforge import np
    >>> x = np.array([1, 2, 3])
    >>> np.where(x > 1, x, 0)
    array([0., 2., 3.])
    """
    if (
        type(condition) is type(x) is type(y) is ndarray
        and condition.shape == x.shape == y.shape
        and x.dtype_code == y.dtype_code
    ):
        return _WHERE((condition, x, y), ())
    if x is None and y is None:
        return nonzero(condition)
    if x is None or y is None:
        raise ValueError("np.where: pass both x and y, or neither")
    if not is_array(condition):
        return x if as_number("where", condition) else y
    f = F if isinstance(condition, NDArray) else namespace_of(condition, x, y)
    if not (is_array(x) or is_array(y)):
        x, y = as_number("where", x), as_number("where", y)
        dtype = np.result_type(type(x), type(y)) if is_np_default_dtype() else default_float()
        x = f.zeros_like(f.cast(condition, dtype=dtype)) + x
    x, y = _both_typed(f, x, y)
    if f is F:
        if not condition.shape == x.shape == y.shape:
            shape = np.broadcast_shapes(condition.shape, x.shape, y.shape)
            condition, x, y = (broadcast_to(one, shape) for one in (condition, x, y))
    else:
        like = (f.cast(condition, dtype=name_of(x)) if type_code(x) >= 0 else condition) + x + y
        condition, x, y = (f.broadcast_like(one, like) for one in (condition, x, y))
    # The class of the result follows the first input.
    return adopt(f.where(condition, x, y))


def _both_typed(f: Any, x: Any, y: Any) -> tuple[Any, Any]:
    """Return the branches of `where` as arrays of one type."""
    if not is_array(x):
        y, x = _both_typed(f, y, x)
        return x, y
    if is_array(y):
        return promoted(x, y)
    y = as_number("where", y)
    if isinstance(y, float):
        x = as_float(f, x)
    if f is not F:
        return x, filled(f, x, y)
    kind = "int64" if name_of(x) == "bool" and not isinstance(y, bool) else name_of(x)
    return promoted(x, F.full((), y, ctx=x.context, dtype=kind))
