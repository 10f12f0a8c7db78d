"""Reductions over axes: sums, products, means, extremes, logical reductions and positions."""

import math
from collections.abc import Sequence
from types import ModuleType
from typing import Any

from opforge.plugin_api import F, ShapeError, array_classes, element_type

from .arguments import axis_index, operand, scalar_of
from .arrays import adopt, ndarray
from .elementwise import write_out
from .elementwise.operands import as_bool
from .promotion import (
    FLOATING,
    default_float,
    is_integer,
    is_np_default_dtype,
    name_of,
    numpy_type,
)

__all__ = [
    "all",
    "alltrue",
    "amax",
    "amin",
    "any",
    "argmax",
    "argmin",
    "max",
    "mean",
    "min",
    "nanprod",
    "nansum",
    "prod",
    "product",
    "sometrue",
    "std",
    "sum",
    "var",
]

NDArray = array_classes.NDArray
Axis = int | Sequence[int] | None


def _axes(axis: Axis, ndim: int) -> tuple[int, ...]:
    """Return the axes to reduce, counted from the first one."""
    if axis is None:
        return tuple(range(ndim))
    axes = (axis,) if hasattr(axis, "__index__") else tuple(axis)
    found = tuple(axis_index(one, ndim) for one in axes)
    if len(set(found)) != len(found):
        raise ValueError(f"axis {axis} contains an axis twice")
    return found


def _reduce(name: str, f: ModuleType, a: Any, axis: Axis, keepdims: bool) -> Any:
    """Call the operator `name`; without axes left, the result has no axes."""
    reduce = getattr(f, name)
    if axis is None:
        result = reduce(a, keepdims=bool(keepdims))
        return result if keepdims else scalar_of(result)
    ndim = a.ndim
    axes = _axes(axis, ndim) if ndim else ()
    if not axes:
        result = reduce(f.expand_dims(a, axis=0), axis=0)
        return result if ndim else scalar_of(result)
    result = reduce(a, axis=axes, keepdims=bool(keepdims))
    return scalar_of(result) if len(axes) == ndim and not keepdims else result


def _directly(reduce: Any, a: Any, axis: Axis, keepdims: bool) -> Any:
    """Return the result for an array of floats and one axis or all, None for other arguments.

    `reduce` is the operator without a function's frame.
    """
    if type(a) is not ndarray or a.dtype_code not in FLOATING:
        return None
    if axis is None:
        result = reduce((a,), (None, keepdims, False))
        return result if keepdims else scalar_of(result)
    if type(axis) is not int:
        return None
    ndim = a.ndim
    if not -ndim <= axis < ndim:
        return None
    result = reduce((a,), (axis, keepdims, False))
    return result if ndim > 1 or keepdims else scalar_of(result)


def _direct(name: str) -> Any:
    operators: Any = F
    return getattr(operators, name).direct


_SUM, _MEAN, _MAX, _MIN = map(_direct, ("sum", "mean", "max", "min"))
#: Attributes of the operators for the reduction of all axes.
_WHOLE = (None, False, False)
_POSITIONS = {name: _direct(name) for name in ("argmax", "argmin")}


def _result(f: ModuleType, name: str, a: Any, axis: Axis, keepdims: bool, out: Any) -> Any:
    return write_out(adopt(_reduce(name, f, a, axis, keepdims)), out)


def _convert(f: ModuleType, a: Any, dtype: Any) -> Any:
    return a if dtype is None else f.cast(a, dtype=numpy_type(dtype))


def _summable(f: ModuleType, a: Any, dtype: Any) -> Any:
    """Convert to `dtype`, or bool to int64, as small integers too with NumPy's default types."""
    if dtype is None and is_integer(a):
        name = name_of(a)
        if name == "bool" or (is_np_default_dtype() and name != "int64"):
            dtype = "int64"
    return _convert(f, a, dtype)


def _convert_for_mean(f: ModuleType, a: Any, dtype: Any) -> Any:
    """Convert to `dtype`, then integers to the default floating-point type."""
    a = _convert(f, a, dtype)
    return f.cast(a, dtype=default_float()) if is_integer(a) else a


def _type_to_compute_in(a: Any, dtype: Any) -> Any:
    """Return the requested type, or None if floats would lose precision in it."""
    if dtype is None or is_integer(a):
        return dtype
    kind = element_type(numpy_type(dtype))
    is_wide = kind.is_floating and kind.precision >= element_type(name_of(a)).precision
    return dtype if is_wide else None


def _mask(f: ModuleType, a: Any, where: Any, neutral: float) -> Any:
    """Replace the elements that a reduction skips."""
    if where is None or where is True:
        return a
    from .elementwise import where as choose

    return choose(where, a, neutral)


# -- sums, products, means ----------------------------------------------------------------------


def sum(
    a: Any,
    axis: Axis = None,
    dtype: Any = None,
    keepdims: bool = False,
    initial: Any = None,
    out: Any = None,
    where: Any = None,
) -> Any:
    """Return the sum of the elements over axes.

    Parameters
    ----------
    a : ndarray
    axis : int or tuple of int, optional
        Axes to reduce; default: all. ``()`` reduces none.
    dtype : optional
        Type of the result, to which the elements are converted; default: that of `a`, int64 for
        bool.
    keepdims : bool, default False
        Whether to keep the reduced axes with length 1.
    initial : number, optional
        Added to the sum.
    out : ndarray, optional
    where : ndarray of bool, optional
        Elements to include.

    Examples
    --------
    >>> from opforge import np
    >>> np.sum(np.array([[1, 2], [3, 4]]), axis=0)
    array([4., 6.])
    """
    if dtype is None is out and initial is None is where:
        if axis is None and not keepdims and type(a) is ndarray and a.dtype_code in FLOATING:
            return scalar_of(_SUM((a,), _WHOLE))
        result = _directly(_SUM, a, axis, keepdims)
        if result is not None:
            return result
    f, a = operand(a)
    wide = _type_to_compute_in(a, dtype)
    result = _reduce("sum", f, _mask(f, _summable(f, a, wide), where, 0), axis, keepdims)
    result = _convert(f, result, dtype)
    return write_out(adopt(result if initial is None else result + initial), out)


def prod(
    a: Any,
    axis: Axis = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = None,
) -> Any:
    """Return the product of the elements over axes; for the parameters see `sum`.

    Examples
    --------
    >>> from opforge import np
    >>> np.prod(np.array([[1, 2], [3, 4]]), axis=1)
    array([ 2., 12.])
    """
    f, a = operand(a)
    wide = _type_to_compute_in(a, dtype)
    result = _reduce("prod", f, _mask(f, _summable(f, a, wide), where, 1), axis, keepdims)
    result = _convert(f, result, dtype)
    return write_out(adopt(result if initial is None else result * initial), out)


product = prod


def nansum(
    a: Any, axis: Axis = None, dtype: Any = None, out: Any = None, keepdims: bool = False
) -> Any:
    """Return the sum with nan as 0; for the parameters see `sum`."""
    f, a = operand(a)
    return _result(f, "nansum", _summable(f, a, dtype), axis, keepdims, out)


def nanprod(
    a: Any, axis: Axis = None, dtype: Any = None, out: Any = None, keepdims: bool = False
) -> Any:
    """Return the product with nan as 1; for the parameters see `sum`."""
    f, a = operand(a)
    return _result(f, "nanprod", _summable(f, a, dtype), axis, keepdims, out)


def mean(
    a: Any, axis: Axis = None, dtype: Any = None, out: Any = None, keepdims: bool = False
) -> Any:
    """Return the arithmetic mean over axes.

    Parameters
    ----------
    a : ndarray
    axis : int or tuple of int, optional
        Axes to reduce; default: all. ``()`` reduces none.
    dtype : optional
        Type of the result; default: that of `a`, float32 for integers.
    out : ndarray, optional
    keepdims : bool, default False
        Whether to keep the reduced axes with length 1.

    Examples
    --------
    >>> from opforge import np
    >>> np.mean(np.array([1, 2, 4]), keepdims=True)
    array([2.3333333])
    """
    if dtype is None is out:
        if axis is None and not keepdims and type(a) is ndarray and a.dtype_code in FLOATING:
            return scalar_of(_MEAN((a,), _WHOLE))
        result = _directly(_MEAN, a, axis, keepdims)
        if result is not None:
            return result
    f, a = operand(a)
    if dtype is not None and is_integer(a) and not element_type(numpy_type(dtype)).is_floating:
        a = _integer_total(f, a, dtype, axis, keepdims)
        return write_out(adopt(_convert(f, a, dtype)), out)
    wide = _type_to_compute_in(a, dtype)
    result = _reduce("mean", f, _convert_for_mean(f, a, wide), axis, keepdims)
    return write_out(adopt(_convert(f, result, dtype)), out)


def _integer_total(f: ModuleType, a: Any, dtype: Any, axis: Axis, keepdims: bool) -> Any:
    """Return the mean as the quotient of a sum in a type of integers, which may overflow."""
    total = _reduce("sum", f, _convert(f, a, dtype), axis, keepdims)
    axes = _axes(axis, a.ndim) if a.ndim else ()
    count = math.prod(a.shape[one] for one in axes)
    return f.cast(total, dtype="float64") / float(count)


def var(
    a: Any,
    axis: Axis = None,
    dtype: Any = None,
    out: Any = None,
    ddof: float = 0,
    keepdims: bool = False,
) -> Any:
    """Return the variance over axes: the mean of squared distances from the mean.

    Parameters
    ----------
    a, axis, dtype, out, keepdims
        As in `mean`.
    ddof : number, default 0
        The sum of squares is divided by the number of elements less `ddof`.

    Examples
    --------
    >>> from opforge import np
    >>> np.var(np.array([1.0, 3.0]), ddof=1, keepdims=True)
    array([2.])
    """
    f, a = operand(a)
    return write_out(adopt(_variance(f, _convert_for_mean(f, a, dtype), axis, ddof, keepdims)), out)


def _variance(f: ModuleType, a: Any, axis: Axis, ddof: float, keepdims: bool) -> Any:
    if (f is F and not a.ndim) or (axis is not None and not _axes(axis, a.ndim)):
        a, axis, keepdims = f.expand_dims(a, axis=0), 0, False  # each element on its own
    centred = f.square(f.broadcast_sub(a, _reduce("mean", f, a, axis, True)))
    if not ddof:
        return _reduce("mean", f, centred, axis, keepdims)
    count = math.prod(a.shape[one] for one in _axes(axis, a.ndim))
    total = _reduce("sum", f, centred, axis, keepdims)
    # NumPy's result without degrees of freedom is nan or inf.
    return total / float(count - ddof if count > ddof else 0)


def std(
    a: Any,
    axis: Axis = None,
    dtype: Any = None,
    out: Any = None,
    ddof: float = 0,
    keepdims: bool = False,
) -> Any:
    """Return the standard deviation over axes, the root of `var`.

    Examples
    --------
    >>> from opforge import np
    >>> np.std(np.array([1.0, 3.0]), keepdims=True)
    array([1.])
    """
    f, a = operand(a)
    variance = _variance(f, _convert_for_mean(f, a, dtype), axis, ddof, keepdims)
    return write_out(adopt(f.sqrt(variance)), out)


# -- extremes -----------------------------------------------------------------------------------


def _extreme(name: str, a: Any, axis: Axis, keepdims: bool, out: Any) -> Any:
    f, a = operand(a)
    if f is F and not a.size and 0 in [a.shape[one] for one in _axes(axis, a.ndim)]:
        raise ShapeError(
            f"np.{name}: array of shape {a.shape} has no elements along axis {axis}; the {name} of "
            "no elements is undefined"
        )
    return _result(f, name, a, axis, keepdims, out)


def max(a: Any, axis: Axis = None, keepdims: bool = False, out: Any = None) -> Any:
    """Return the largest element over axes; nan if one is nan.

    Parameters
    ----------
    a : ndarray
    axis : int or tuple of int, optional
        Axes to reduce; default: all. ``()`` reduces none.
    keepdims : bool, default False
        Whether to keep the reduced axes with length 1.
    out : ndarray, optional

    Examples
    --------
    >>> from opforge import np
    >>> np.max(np.array([[1, 2], [3, 4]]), axis=0)
    array([3., 4.])
    """
    if out is None and type(a) is ndarray and a.size:
        result = _directly(_MAX, a, axis, keepdims)
        if result is not None:
            return result
    return _extreme("max", a, axis, keepdims, out)


def min(a: Any, axis: Axis = None, keepdims: bool = False, out: Any = None) -> Any:
    """Return the smallest element over axes; for the parameters see `max`.

    Examples
    --------
    >>> from opforge import np
    >>> np.min(np.array([[1, 2], [3, 4]]), axis=0)
    array([1., 2.])
    """
    if out is None and type(a) is ndarray and a.size:
        result = _directly(_MIN, a, axis, keepdims)
        if result is not None:
            return result
    return _extreme("min", a, axis, keepdims, out)


amax = max
amin = min


def _position(name: str, a: Any, axis: int | None, out: Any, keepdims: bool) -> Any:
    if type(a) is ndarray and type(axis) is int and 0 <= axis < a.ndim > 1 and out is None:
        return _POSITIONS[name]((a,), (axis, bool(keepdims), "int64"))
    f, a = operand(a)
    search = getattr(f, name)
    if f is not F and axis is None:
        result = search(a, axis=axis, keepdims=bool(keepdims), dtype="int64")
        return result if keepdims else scalar_of(result)
    if axis is not None:
        axis = axis_index(axis, a.ndim or 1)
    result = search(a, axis=axis if a.ndim else None, keepdims=bool(keepdims), dtype="int64")
    if (axis is None or a.ndim <= 1) and not keepdims:
        result = scalar_of(result)
    return write_out(adopt(result), out)


def argmax(a: Any, axis: int | None = None, out: Any = None, keepdims: bool = False) -> Any:
    """Return the indices of the largest elements along an axis, the first of equal ones.

    Parameters
    ----------
    a : ndarray
    axis : int, optional
        Default: the flattened array.
    out : ndarray, optional
    keepdims : bool, default False
        Whether to keep the axis with length 1.

    Returns
    -------
    ndarray
        An int64 array.

    Examples
    --------
    >>> from opforge import np
    >>> np.argmax(np.array([[1, 3], [4, 2]]), axis=1)
    array([1, 0], dtype=int64)
    """
    return _position("argmax", a, axis, out, keepdims)


def argmin(a: Any, axis: int | None = None, out: Any = None, keepdims: bool = False) -> Any:
    """Return the indices of the smallest elements along an axis; for the parameters see `argmax`.

    Examples
    --------
    >>> from opforge import np
    >>> np.argmin(np.array([[1, 3], [4, 2]]), axis=1)
    array([0, 1], dtype=int64)
    """
    return _position("argmin", a, axis, out, keepdims)


# -- logical reductions -------------------------------------------------------------------------


def _logical(name: str, a: Any, axis: Axis, keepdims: bool, out: Any) -> Any:
    f, a = operand(a)
    # The sum of bool is their disjunction, the product their conjunction.
    return _result(f, name, as_bool(f, a), axis, keepdims, out)


def any(a: Any, axis: Axis = None, keepdims: bool = False, out: Any = None) -> Any:
    """Return whether an element is not 0, over axes; for the parameters see `max`.

    Examples
    --------
    >>> from opforge import np
    >>> np.any(np.array([[0, 0], [1, 0]]), axis=1)
    array([False,  True])
    """
    return _logical("sum", a, axis, keepdims, out)


def all(a: Any, axis: Axis = None, keepdims: bool = False, out: Any = None) -> Any:
    """Return whether no element is 0, over axes; for the parameters see `max`.

    Examples
    --------
    >>> from opforge import np
    >>> np.all(np.array([[0, 0], [1, 2]]), axis=1)
    array([False,  True])
    """
    return _logical("prod", a, axis, keepdims, out)


sometrue = any
alltrue = all
