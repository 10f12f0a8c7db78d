"""Statistical functions, and tests of all elements."""

from typing import Any

from opforge.plugin_api import F as nd

from .. import reductions as ours
from .. import statistics
from ..arguments import axis_index
from ..cumulative_sums import cumsum
from .arguments import array_of, checked, pair, wrapped
from .dtypes import dtype_of, isdtype

__all__ = [
    "all",
    "any",
    "cumulative_prod",
    "cumulative_sum",
    "diff",
    "max",
    "mean",
    "min",
    "prod",
    "std",
    "sum",
    "var",
]

Axis = int | tuple[int, ...] | None


def _accumulate(x: Any, dtype: Any) -> Any:
    """Return the type of sums: `dtype`, or that of `x` with at least 64 bits for integers.

    Sums of uint8 are int64 too, as opforge lacks uint64.
    """
    if dtype is not None:
        return dtype_of(dtype)
    return dtype_of("int64") if isdtype(x.dtype, "integral") else x.dtype


def sum(x: Any, /, *, axis: Axis = None, dtype: Any = None, keepdims: bool = False) -> Any:
    """Return the sum of the elements over axes.

    Parameters
    ----------
    x : Array
    axis : int or tuple of int, optional
        Axes to reduce; default: all.
    dtype : dtype, optional
        Type of the result; default: that of `x`, int64 for integers.
    keepdims : bool, default False
        Whether to keep the reduced axes with length 1.

    Examples
    --------
    >>> from opforge import array_api as xp
    >>> xp.sum(xp.asarray([[1, 2], [3, 4]]), axis=0)
    array([4, 6], dtype=int64)
    """
    x = checked("sum", x, "numeric")
    return wrapped(ours.sum(x, axis, _accumulate(x, dtype), keepdims))


def prod(x: Any, /, *, axis: Axis = None, dtype: Any = None, keepdims: bool = False) -> Any:
    """Return the product of the elements over axes; for the parameters see `sum`."""
    x = checked("prod", x, "numeric")
    return wrapped(ours.prod(x, axis, _accumulate(x, dtype), keepdims=keepdims))


def mean(x: Any, /, *, axis: Axis = None, keepdims: bool = False) -> Any:
    """Return the arithmetic mean over axes.

    Examples
    --------
    >>> from opforge import array_api as xp
    >>> xp.mean(xp.asarray([1.0, 2.0]))
    array(1.5)
    """
    return wrapped(ours.mean(checked("mean", x, "real floating"), axis, keepdims=keepdims))


def var(x: Any, /, *, axis: Axis = None, correction: float = 0.0, keepdims: bool = False) -> Any:
    """Return the variance over axes.

    Parameters
    ----------
    x : Array
    axis : int or tuple of int, optional
        Axes to reduce; default: all.
    correction : number, default 0
        The sum of squares is divided by the number of elements less `correction`.
    keepdims : bool, default False
        Whether to keep the reduced axes with length 1.

    Examples
    --------
    >>> from opforge import array_api as xp
    >>> xp.var(xp.asarray([1.0, 3.0]), correction=1)
    array(2.)
    """
    x = checked("var", x, "real floating")
    return wrapped(ours.var(x, axis, ddof=correction, keepdims=keepdims))


def std(x: Any, /, *, axis: Axis = None, correction: float = 0.0, keepdims: bool = False) -> Any:
    """Return the standard deviation over axes; for the parameters see `var`."""
    x = checked("std", x, "real floating")
    return wrapped(ours.std(x, axis, ddof=correction, keepdims=keepdims))


def max(x: Any, /, *, axis: Axis = None, keepdims: bool = False) -> Any:
    """Return the largest element over axes; nan if one is nan.

    Examples
    --------
    >>> from opforge import array_api as xp
    >>> xp.max(xp.asarray([[1, 2], [3, 4]]), axis=0)
    array([3, 4], dtype=int64)
    """
    return wrapped(ours.max(checked("max", x, "numeric"), axis, keepdims))


def min(x: Any, /, *, axis: Axis = None, keepdims: bool = False) -> Any:
    """Return the smallest element over axes; nan if one is nan."""
    return wrapped(ours.min(checked("min", x, "numeric"), axis, keepdims))


def all(x: Any, /, *, axis: Axis = None, keepdims: bool = False) -> Any:
    """Return whether no element is 0, over axes.

    Examples
    --------
    >>> from opforge import array_api as xp
    >>> xp.all(xp.asarray([[0, 0], [1, 2]]), axis=1)
    array([False,  True])
    """
    return wrapped(ours.all(array_of("all", x), axis, keepdims))


def any(x: Any, /, *, axis: Axis = None, keepdims: bool = False) -> Any:
    """Return whether an element is not 0, over axes."""
    return wrapped(ours.any(array_of("any", x), axis, keepdims))


def cumulative_sum(
    x: Any, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False
) -> Any:
    """Return the sums of the elements up to each position along an axis.

    Parameters
    ----------
    x : Array
    axis : int, optional
        Default: the only axis.
    dtype : dtype, optional
        Type of the result; default: that of `x`, int64 for integers.
    include_initial : bool, default False
        Whether the result starts with 0.

    Examples
    --------
    >>> from opforge import array_api as xp
    >>> xp.cumulative_sum(xp.asarray([1, 2, 3]), include_initial=True)
    array([0, 1, 3, 6], dtype=int64)
    """
    x, at = _with_axis("cumulative_sum", x, axis)
    y = cumsum(x, at, _accumulate(x, dtype))
    return wrapped(_with_initial(y, at, 0) if include_initial else y)


def cumulative_prod(
    x: Any, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False
) -> Any:
    """Return the products of the elements up to each position; see `cumulative_sum`.

    Examples
    --------
    >>> from opforge import array_api as xp
    >>> xp.cumulative_prod(xp.asarray([1, 2, 3]))
    array([1, 2, 6], dtype=int64)
    """
    x, at = _with_axis("cumulative_prod", x, axis)
    y = nd.cast(x, dtype=_accumulate(x, dtype))
    length, step = y.shape[at], 1
    while step < length and y.size:
        # After each iteration, an element is the product of the last 2 * step ones.
        ahead = nd.slice_axis(y, axis=at, begin=0, end=step)
        earlier = nd.slice_axis(y, axis=at, begin=0, end=length - step)
        y = y * nd.concat(nd.ones_like(ahead), earlier, dim=at)
        step *= 2
    return wrapped(_with_initial(y, at, 1) if include_initial else y)


def _with_axis(name: str, x: Any, axis: int | None) -> tuple[Any, int]:
    """Return an array and the axis along which to accumulate, counted from the first one."""
    x = checked(name, x, "numeric")
    if axis is None and x.ndim != 1:
        raise ValueError(f"{name}: the array has {x.ndim} axes; pass axis")
    return x, axis_index(0 if axis is None else axis, x.ndim)


def _with_initial(y: Any, axis: int, value: float) -> Any:
    """Return an array that starts with `value` along an axis."""
    shape = (*y.shape[:axis], 1, *y.shape[axis + 1 :])
    return nd.concat(nd.full(shape, value, ctx=y.context, dtype=y.dtype), y, dim=axis)


def diff(x: Any, /, *, axis: int = -1, n: int = 1, prepend: Any = None, append: Any = None) -> Any:
    """Return the differences of neighbours along an axis.

    Parameters
    ----------
    x : Array
    axis : int, default -1
    n : int, default 1
        Number of times to take differences.
    prepend, append : Array, optional
        Values before and after those of `x`.

    Examples
    --------
    >>> from opforge import array_api as xp
    >>> xp.diff(xp.asarray([1, 2, 4, 0]))
    array([ 1,  2, -4], dtype=int64)
    """
    x = checked("diff", x, "numeric")
    ends = [None if end is None else pair("diff", end, x)[0] for end in (prepend, append)]
    return wrapped(statistics.diff(x, n, axis, *ends))
