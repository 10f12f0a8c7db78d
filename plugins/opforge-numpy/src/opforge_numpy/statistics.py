"""Statistics: averages, quantiles, histograms, differences and covariances."""

import math
from typing import Any

import numpy as np

from opforge.plugin_api import AttributeValueError, F, array_classes

from .arguments import as_array, axis_index, from_numpy, operand
from .arrays import adopt
from .elementwise import divide, multiply, not_equal, write_out
from .promotion import default_float, is_bool, is_floating, is_integer, name_of, promoted
from .reductions import _axes, amax, amin, mean, sum
from .shapes import broadcast_to, ravel, reshape
from .symbols.calls import deferred, on_arrays
from .symbols.namespace import is_symbol, namespace_of

__all__ = [
    "average",
    "bincount",
    "count_nonzero",
    "diff",
    "ediff1d",
    "histogram",
    "median",
    "percentile",
    "ptp",
    "quantile",
]

NDArray = array_classes.NDArray


def average(
    a: Any, axis: Any = None, weights: Any = None, returned: bool = False, out: Any = None
) -> Any:
    """Return the weighted average over axes.

    Parameters
    ----------
    a : ndarray
    axis : int or tuple of int, optional
        Axes to reduce; default: all.
    weights : ndarray, optional
        Of the shape of `a`, or one weight for each position along `axis`; default: equal weights.
    returned : bool, default False
        Whether to return the sum of weights too.
    out : ndarray, optional

    Examples
    --------
    >>> from opforge import np
    >>> np.average(np.array([[1, 2], [3, 6]]), axis=1, weights=np.array([3, 1]))
    array([1.25, 3.75])
    """
    f, a = operand(a)
    if weights is None:
        result = mean(a, axis)
        total = result * 0 + float(a.size / max(result.size, 1))
    else:
        weights = _full_weights(a, axis, as_array(weights))
        total = sum(weights, axis)
        result = divide(sum(multiply(a, weights), axis), total)
        if is_integer(total):
            total = f.cast(total, dtype=name_of(result))
    result = write_out(result, out)
    return (result, total) if returned else result


def _full_weights(a: Any, axis: Any, weights: Any) -> Any:
    """Return weights in a shape that broadcasts to that of `a`."""
    if weights.shape == a.shape:
        return weights
    if weights.ndim != 1 or not hasattr(axis, "__index__"):
        raise AttributeValueError(
            f"np.average: weights have shape {weights.shape} and a {a.shape}; pass weights of the "
            "same shape, or of one axis with an int as axis"
        )
    position = axis_index(axis, a.ndim)
    if weights.size != a.shape[position]:
        raise AttributeValueError(
            f"np.average: there are {weights.size} weights, expected {a.shape[position]}, the "
            f"length of axis {axis} of a with shape {a.shape}"
        )
    shape = [1] * a.ndim
    shape[position] = weights.size
    return broadcast_to(reshape(weights, tuple(shape)), a.shape)


def ptp(a: Any, axis: Any = None, out: Any = None, keepdims: bool = False) -> Any:
    """Return the range over axes, the largest less the smallest element; see `max`.

    Examples
    --------
    >>> from opforge import np
    >>> np.ptp(np.array([[1, 2], [3, 7]]), axis=1)
    array([1., 4.])
    """
    return write_out(amax(a, axis, keepdims) - amin(a, axis, keepdims), out)


# -- quantiles ----------------------------------------------------------------------------------

#: Positions between two elements, by name: the weight of the upper one from the fraction.
_INTERPOLATION = {
    "linear": lambda position: position - np.floor(position),
    "lower": lambda position: np.zeros_like(position),
    "higher": lambda position: np.ceil(position) - np.floor(position),
    "midpoint": lambda position: 0.5 * (np.ceil(position) - np.floor(position)),
    "nearest": lambda position: np.rint(position) - np.floor(position),
}


def quantile(
    a: Any,
    q: Any,
    axis: Any = None,
    out: Any = None,
    overwrite_input: Any = None,
    interpolation: str = "linear",
    keepdims: bool = False,
) -> Any:
    """Return quantiles over axes.

    Parameters
    ----------
    a : ndarray
    q : number or array_like
        Fractions from 0 to 1; the axes of an array come first in the result.
    axis : int or tuple of int, optional
        Axes to reduce; default: all.
    out : ndarray, optional
    overwrite_input : bool, optional
        Not supported.
    interpolation : {"linear", "lower", "higher", "midpoint", "nearest"}
        Rule for quantiles between two elements.
    keepdims : bool, default False
        Whether to keep the reduced axes with length 1.

    Examples
    --------
    >>> from opforge import np
    >>> np.quantile(np.array([1, 2, 3, 6]), np.array([0, 0.5]))
    array([1. , 2.5])
    """
    return _quantile("quantile", a, q, 1.0, axis, out, overwrite_input, interpolation, keepdims)


def percentile(
    a: Any,
    q: Any,
    axis: Any = None,
    out: Any = None,
    overwrite_input: Any = None,
    interpolation: str = "linear",
    keepdims: bool = False,
) -> Any:
    """Return percentiles over axes: quantiles with `q` from 0 to 100; see `quantile`.

    Examples
    --------
    >>> from opforge import np
    >>> np.percentile(np.array([1, 2, 3, 6]), np.array([0, 50]))
    array([1. , 2.5])
    """
    return _quantile("percentile", a, q, 100.0, axis, out, overwrite_input, interpolation, keepdims)


def median(
    a: Any, axis: Any = None, out: Any = None, overwrite_input: Any = None, keepdims: bool = False
) -> Any:
    """Return the median over axes; for the parameters see `quantile`.

    Examples
    --------
    >>> from opforge import np
    >>> np.median(np.array([[1, 2, 9], [4, 5, 6]]), axis=1)
    array([2., 5.])
    """
    return _quantile("median", a, 0.5, 1.0, axis, out, overwrite_input, "linear", keepdims)


def _quantile(
    name: str,
    a: Any,
    q: Any,
    largest: float,
    axis: Any,
    out: Any,
    overwrite_input: Any,
    interpolation: str,
    keepdims: bool,
) -> Any:
    if is_symbol(q):
        options = {"axis": axis, "interpolation": interpolation, "keepdims": keepdims}
        return deferred(name, (a, q), options, reads_elements=True)
    if overwrite_input:
        raise NotImplementedError(f"np.{name}: overwrite_input is not supported")
    if interpolation not in _INTERPOLATION:
        raise AttributeValueError(
            f"np.{name}: interpolation is {interpolation!r}, expected one of "
            f"{', '.join(_INTERPOLATION)}"
        )
    fractions = np.asarray(q.asnumpy() if isinstance(q, NDArray) else q, dtype=np.float64)
    if not ((fractions >= 0) & (fractions <= largest)).all():
        raise AttributeValueError(f"np.{name}: q is {q}, expected numbers from 0 to {largest:g}")
    a = as_array(a)
    f, a = operand(a)
    if is_integer(a):
        a = f.cast(a, dtype=default_float())
    axes = _axes(axis, a.ndim)
    kept = tuple(one for one in range(a.ndim) if one not in axes)
    count = math.prod(a.shape[one] for one in axes)
    if not count:
        raise AttributeValueError(f"np.{name}: array of shape {a.shape} has no elements to choose")
    rest = tuple(a.shape[one] for one in kept)
    rows = reshape(f.transpose(a, axes=kept + axes) if a.ndim else a, (*rest, count))
    result = _interpolate(f.sort(rows, axis=-1), fractions / largest, count, interpolation)
    if keepdims:
        shape = tuple(1 if one in axes else size for one, size in enumerate(a.shape))
        result = reshape(result, fractions.shape + shape)
    return write_out(adopt(result), out)


def _interpolate(ordered: Any, fractions: Any, count: int, interpolation: str) -> Any:
    """Return quantiles of sorted rows; the axes of `fractions` come first."""
    position = fractions * (count - 1)
    below = np.floor(position)
    above = np.minimum(below + 1, count - 1)
    weight = _INTERPOLATION[interpolation](position)
    F = namespace_of(ordered)
    lead = ordered.ndim - 1
    order = (*range(lead, lead + fractions.ndim), *range(lead))

    def taken(indices: Any) -> Any:
        chosen = F.take(ordered, from_numpy(indices.astype(np.int64), ordered), axis=-1)
        if not lead and not fractions.ndim:  # a number
            return reshape(chosen, ())
        return F.transpose(chosen, axes=order) if lead and fractions.ndim else chosen

    lower = taken(below)
    if not weight.any():
        return lower
    weights = weight.reshape(weight.shape + (1,) * lead).astype(name_of(ordered))
    return lower + F.broadcast_mul(taken(above) - lower, from_numpy(weights, ordered))


# -- counts -------------------------------------------------------------------------------------


def count_nonzero(a: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    """Return the number of elements that are not 0, over axes.

    Returns
    -------
    int or ndarray of int64
        An int if `axis` is None and `keepdims` is false.

    Examples
    --------
    >>> from opforge import np
    >>> np.count_nonzero(np.array([[0, 2], [1, 3]]))
    3
    """
    f, a = operand(a)
    counts = sum(f.cast(a, dtype="bool"), axis, keepdims=keepdims)
    return int(counts.item()) if f is F and axis is None and not keepdims else counts


@on_arrays("bincount")
def bincount(x: Any, weights: Any = None, minlength: int = 0) -> Any:
    """Return the number of times, or the sum of the weights, that each integer occurs.

    Parameters
    ----------
    x : ndarray of int
        Integers that are not negative.
    weights : ndarray, optional
        Of the shape of `x`.
    minlength : int, default 0
        Least length of the result.

    Returns
    -------
    ndarray
        Of the type of `weights`, otherwise of `x`.

    Examples
    --------
    >>> from opforge import np
    >>> np.bincount(np.array([0, 2, 2], dtype="int32"))
    array([1, 0, 2], dtype=int32)
    """
    if not isinstance(x, NDArray):
        raise TypeError(f"np.bincount takes arrays of np, got {type(x)}")
    if is_floating(x):
        raise AttributeValueError(f"np.bincount: x has type {name_of(x)}, expected integers")
    if weights is None:
        return from_numpy(np.bincount(x.asnumpy(), None, minlength).astype(x.dtype), x)
    weights = as_array(weights)
    sums = np.bincount(x.asnumpy(), weights.asnumpy(), minlength)
    return from_numpy(sums.astype(name_of(weights)), x)


@on_arrays("histogram")
def histogram(
    a: Any,
    bins: Any = 10,
    range: Any = None,
    normed: Any = None,
    weights: Any = None,
    density: Any = None,
) -> tuple[Any, Any]:
    """Return the number of elements in each of several bins, and the edges of the bins.

    Parameters
    ----------
    a : ndarray
    bins : int, str, or array_like
        Number of bins, a rule of NumPy, or the edges.
    range : (number, number), optional
        Lowest and highest edge; default: the range of the elements.
    normed : optional
        Not supported.
    weights : ndarray, optional
        Of the shape of `a`.
    density : bool, optional
        Whether to divide by the total and the widths of the bins.

    Examples
    --------
    >>> from opforge import np
    >>> np.histogram(np.array([1, 2, 2, 4]), bins=3)
    (array([1, 2, 1], dtype=int64), array([1., 2., 3., 4.]))
    """
    if normed:
        raise NotImplementedError("np.histogram: normed is not supported; use density")
    a = as_array(a)
    values = a.asnumpy()
    host = [one.asnumpy() if isinstance(one, NDArray) else one for one in (bins, weights)]
    counts, edges = np.histogram(values, host[0], range, density=density, weights=host[1])
    kind = name_of(a) if is_floating(a) else default_float()
    if counts.dtype.kind == "f":
        counts = counts.astype(kind)
    return from_numpy(counts, a), from_numpy(edges.astype(kind), a)


# -- differences --------------------------------------------------------------------------------


def diff(a: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Any:
    """Return the differences of neighbours along an axis.

    Parameters
    ----------
    a : ndarray
    n : int, default 1
        Number of times to take differences.
    axis : int, default -1
    prepend, append : ndarray or number, optional
        Values before and after those of `a`; a number is repeated.

    Examples
    --------
    >>> from opforge import np
    >>> np.diff(np.array([1, 2, 4, 0]))
    array([ 1.,  2., -4.])
    """
    f, a = operand(a)
    if n < 0:
        raise AttributeValueError(f"np.diff: n is {n}, expected at least 0")
    pieces = [a]
    if not a.ndim:
        raise AttributeValueError("np.diff: a has no axes, expected at least one")
    axis = axis_index(axis, a.ndim)
    if prepend is not None:
        pieces = _promote_pieces(_border(prepend, a, axis), *pieces)
    if append is not None:
        pieces = _promote_pieces(*pieces, _border(append, a, axis))
    if len(pieces) > 1:
        a = f.concat(*pieces, dim=axis)
    subtract = not_equal if is_bool(a) else f.broadcast_sub
    for _ in range(n):
        if f is F and not a.shape[axis]:
            break
        if f is F and axis == 0:  # slices along the first axis share memory
            upper, lower = a[1:], a[:-1]
        else:
            upper = f.slice_axis(a, axis=axis, begin=1, end=None)
            lower = f.slice_axis(a, axis=axis, begin=0, end=-1)
        a = subtract(upper, lower)
    return adopt(f.identity(a) if n == 0 else a)


def _border(value: Any, a: Any, axis: int) -> Any:
    """Return what precedes or follows `a`, as an array."""
    value = as_array(value, a)
    if value.ndim:
        return value
    shape = list(a.shape)
    shape[axis] = 1
    return broadcast_to(value, tuple(shape))


def _promote_pieces(*pieces: Any) -> list[Any]:
    """Return arrays in the type to which all are promoted."""
    first = pieces[0]
    for piece in pieces[1:]:
        first, _ = promoted(first, piece)
    return [promoted(piece, first)[0] for piece in pieces]


def ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Any:
    """Return the differences of neighbours in the flattened array.

    Parameters
    ----------
    ary : ndarray
    to_end, to_begin : ndarray or number, optional
        Values after and before the differences, converted to the type of `ary`.

    Examples
    --------
    >>> from opforge import np
    >>> np.ediff1d(np.array([1, 2, 4]), to_begin=0)
    array([0., 1., 2.])
    """
    f, a = operand(ary)
    flat = ravel(a)
    pieces = [diff(flat)]
    if to_begin is not None:
        pieces.insert(0, _end(to_begin, a))
    if to_end is not None:
        pieces.append(_end(to_end, a))
    return adopt(f.concat(*pieces, dim=0)) if len(pieces) > 1 else pieces[0]


def _end(value: Any, a: Any) -> Any:
    value = as_array(value, a)
    value = ravel(value)
    f, value = operand(value)
    return value if name_of(value) == name_of(a) else f.cast(value, dtype=name_of(a))
