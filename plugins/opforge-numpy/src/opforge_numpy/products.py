"""Products of vectors, matrices and tensors, and polynomials."""

from collections.abc import Sequence
from functools import lru_cache, reduce
from math import prod
from numbers import Number
from typing import Any, NamedTuple

import numpy as np

from opforge.plugin_api import F as nd
from opforge.plugin_api import ShapeError, array_classes

from .arguments import as_array, axis_index, operands, scalar_of, stored, with_shape
from .arrays import ndarray
from .selection import take
from .shapes import moveaxis, ravel, reshape, transpose

__all__ = [
    "cross",
    "dot",
    "einsum",
    "inner",
    "kron",
    "matmul",
    "outer",
    "polyval",
    "tensordot",
    "trapz",
    "vdot",
]

_operators: Any = nd
_DOT = _operators.dot.direct
#: Attributes of the operator: of neither array, of any storage type.
_NOT_TRANSPOSED = (False, False, None)


def dot(a: Any, b: Any, out: Any = None) -> Any:
    """Return the dot product over the last axis of `a` and the second to last of `b`.

    For vectors the sum of the products of their elements, for matrices the matrix product; a
    number multiplies.

    Examples
    --------
    >>> from opforge import np
    >>> np.dot(np.array([1, 2]), np.array([3, 4]))
    array(11.)
    """
    if (
        type(a) is ndarray is type(b)
        and a.ndim == b.ndim == 2
        and a.dtype_code == b.dtype_code
        and out is None
    ):
        return _DOT((a, b), _NOT_TRANSPOSED)
    if isinstance(a, Number) or isinstance(b, Number):
        return stored(a * b, out)
    if isinstance(b, array_classes.DeferredArray) and len(b.shape) == 2:
        return nd.dot(a, b)  # the operator infers the shape of the parameter
    F, (a, b) = operands((a, b))
    left, right = a.ndim, b.ndim
    if not left or not right:
        return stored(F.broadcast_mul(a, b), out)
    if right > 2:
        return stored(tensordot(a, b, ((left - 1,), (right - 2,))), out)
    result = F.dot(a, b)
    return stored(scalar_of(result) if left == right == 1 else result, out)


def matmul(a: Any, b: Any, out: Any = None) -> Any:
    """Return matrix products over the last two axes; other axes broadcast.

    A vector on the left is a row, a vector on the right a column.

    Examples
    --------
    >>> from opforge import np
    >>> np.matmul(np.ones((5, 2, 3)), np.ones((3, 4))).shape
    (5, 2, 4)
    """
    if (
        type(a) is ndarray is type(b)
        and a.ndim == b.ndim == 2
        and a.dtype_code == b.dtype_code
        and out is None
    ):
        return _DOT((a, b), _NOT_TRANSPOSED)
    F, (a, b) = operands((a, b))
    left, right = a.ndim, b.ndim
    result = F.dot(a, b) if 0 < left <= 2 and 0 < right <= 2 else F.matmul(a, b)
    return stored(scalar_of(result) if left == right == 1 else result, out)


def inner(a: Any, b: Any) -> Any:
    """Return the sums of products over the last axes.

    Examples
    --------
    >>> from opforge import np
    >>> np.inner(np.ones((2, 3)), np.ones((4, 3))).shape
    (2, 4)
    """
    F, (a, b) = operands((a, b))
    if not a.ndim or not b.ndim:
        return F.broadcast_mul(a, b)
    return tensordot(a, b, ((a.ndim - 1,), (b.ndim - 1,)))


def outer(a: Any, b: Any) -> Any:
    """Return the products of all pairs of elements, those of `a` in rows.

    Examples
    --------
    >>> from opforge import np
    >>> np.outer(np.array([1, 2]), np.array([3, 4]))
    array([[3., 4.],
           [6., 8.]])
    """
    F, (a, b) = operands((a, b))
    if F is nd:
        return nd.broadcast_mul(with_shape(a, (a.size, 1)), with_shape(b, (1, b.size)))
    return F.broadcast_mul(reshape(a, (-1, 1)), reshape(b, (1, -1)))


def vdot(a: Any, b: Any) -> Any:
    """Return the dot product of the flattened arrays.

    Examples
    --------
    >>> from opforge import np
    >>> np.vdot(np.ones((2, 3)), np.ones((2, 3)))
    array(6.)
    """
    return dot(ravel(as_array(a)), ravel(as_array(b)))


def tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    """Return sums of products over several axes.

    Parameters
    ----------
    a, b : ndarray
    axes : int, or pair of int or of sequences of int, default 2
        The axes of `a` and of `b`; an int n: the last n axes of `a` and the first n of `b`.

    Examples
    --------
    >>> from opforge import np
    >>> np.tensordot(np.ones((2, 3, 4)), np.ones((4, 3, 5)), axes=([1, 2], [1, 0])).shape
    (2, 5)
    """
    F, (a, b) = operands((a, b))
    of_a, of_b = _paired_axes(a, b, axes)
    kept_a = [axis for axis in range(a.ndim) if axis not in of_a]
    kept_b = [axis for axis in range(b.ndim) if axis not in of_b]
    shape = tuple(a.shape[i] for i in kept_a) + tuple(b.shape[i] for i in kept_b)
    summed = prod(a.shape[i] for i in of_a)
    rows, columns = prod(a.shape[i] for i in kept_a), prod(b.shape[i] for i in kept_b)
    left = with_shape(_order_axes(a, kept_a + of_a), (rows, summed))
    is_transposed = kept_b + of_b == list(range(b.ndim))
    if is_transposed:
        right = with_shape(b, (columns, summed))
    else:
        right = with_shape(_order_axes(b, of_b + kept_b), (summed, columns))
    return with_shape(F.dot(left, right, transpose_b=is_transposed), shape)


def _paired_axes(a: Any, b: Any, axes: Any) -> tuple[list[int], list[int]]:
    if isinstance(axes, int):
        if not 0 <= axes <= min(a.ndim, b.ndim):
            raise ShapeError(
                f"tensordot: axes is {axes}, but the arrays have {a.ndim} and {b.ndim} axes"
            )
        of_a, of_b = list(range(a.ndim - axes, a.ndim)), list(range(axes))
    else:
        first, second = ([one] if isinstance(one, int) else list(one) for one in axes)
        of_a = [axis_index(axis, a.ndim) for axis in first]
        of_b = [axis_index(axis, b.ndim) for axis in second]
    lengths = [a.shape[i] for i in of_a], [b.shape[i] for i in of_b]
    if lengths[0] != lengths[1] or len(set(of_a)) < len(of_a) or len(set(of_b)) < len(of_b):
        raise ShapeError(
            f"tensordot: the axes {axes} of shapes {a.shape} and {b.shape} have lengths "
            f"{lengths[0]} and {lengths[1]}; they must be distinct axes of equal lengths"
        )
    return of_a, of_b


def _order_axes(array: Any, axes: list[int]) -> Any:
    return array if axes == list(range(array.ndim)) else transpose(array, axes)


def kron(a: Any, b: Any) -> Any:
    """Return the Kronecker product: `b` multiplied by each element of `a`.

    Examples
    --------
    >>> from opforge import np
    >>> np.kron(np.array([1, 10]), np.array([1, 2]))
    array([ 1.,  2., 10., 20.])
    """
    F, (a, b) = operands((a, b))
    ndim = max(a.ndim, b.ndim)
    left, right = (1,) * (ndim - a.ndim) + a.shape, (1,) * (ndim - b.ndim) + b.shape
    pairs = tuple(zip(left, right, strict=True))
    spread = F.broadcast_mul(
        with_shape(a, tuple(n for length in left for n in (length, 1))),
        with_shape(b, tuple(n for length in right for n in (1, length))),
    )
    return with_shape(spread, tuple(x * y for x, y in pairs))


def cross(
    a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: Any = None
) -> Any:
    """Return the cross product of vectors of three elements.

    Parameters
    ----------
    a, b : ndarray
        Their other axes broadcast.
    axisa, axisb, axisc : int, default -1
        The axes of the vectors in `a`, `b` and the result.
    axis : int, optional
        The same for all three.

    Examples
    --------
    >>> from opforge import np
    >>> np.cross(np.array([1, 0, 0]), np.array([0, 1, 0]))
    array([0., 0., 1.])
    """
    F, (a, b) = operands((a, b))
    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = moveaxis(a, axisa, -1), moveaxis(b, axisb, -1)
    if a.shape[-1] != 3 or b.shape[-1] != 3:
        lengths = a.shape[-1], b.shape[-1]
        raise ShapeError(f"cross: vectors have {lengths[0]} and {lengths[1]} elements; expected 3")
    following, last = np.array([1, 2, 0]), np.array([2, 0, 1])
    result = F.broadcast_sub(
        F.broadcast_mul(take(a, following, -1), take(b, last, -1)),
        F.broadcast_mul(take(a, last, -1), take(b, following, -1)),
    )
    return moveaxis(result, -1, axisc)


def einsum(*operands_: Any, out: Any = None, optimize: Any = False, **kwargs: Any) -> Any:
    """Sum products of elements by Einstein's convention, by matrix products.

    Parameters
    ----------
    *operands_ : str and ndarrays
        Subscripts such as ``'ij,jk->ik'`` and the operands; or operands with a list of axis labels
        each, and the labels of the result.
    out : ndarray, optional
    optimize : bool, default False
        Multiply three or more operands in the order with the fewest operations.
    **kwargs
        `dtype`, `order` and `casting` are ignored, for compatibility with NumPy.

    Examples
    --------
    >>> from opforge import np
    >>> np.einsum('ij,kj->ik', np.array([[1, 2]]), np.array([[3, 4], [5, 6]]))
    array([[11., 17.]])
    """
    unknown = kwargs.keys() - {"dtype", "order", "casting"}
    if unknown:
        raise TypeError(f"einsum got unknown arguments {sorted(unknown)}")
    if not operands_:
        raise ValueError("einsum: need subscripts and operands, got neither")
    subscripts, *arrays = operands_
    if not isinstance(subscripts, str):
        subscripts, arrays = _from_lists(operands_)
    F, arrays = operands(arrays)
    plan = _einsum_plan(subscripts, tuple(array.ndim for array in arrays))
    factors = [array for array, kept in zip(arrays, plan.kept, strict=True) if not kept]
    arrays = [array for array, kept in zip(arrays, plan.kept, strict=True) if kept]
    if plan.product and _is_paired(plan.product, arrays):
        return stored(_product(F, plan.product, arrays), out)
    if arrays:
        result = F._einsum(*arrays, subscripts=plan.subscripts, optimize=bool(optimize))
        factors.insert(0, scalar_of(result) if plan.is_sum else result)
    return stored(reduce(F.broadcast_mul, factors), out)


class _Product(NamedTuple):
    """A product of matrices in the last two axes: the order of the operands, and transpositions."""

    first: int
    flips: tuple[bool, bool]


def _is_paired(product: _Product, arrays: Sequence[Any]) -> bool:
    """Return whether the batches and the summed axes have the same lengths."""
    left, right = arrays[product.first].shape, arrays[1 - product.first].shape
    summed = left[-2 if product.flips[0] else -1], right[-1 if product.flips[1] else -2]
    return left[:-2] == right[:-2] and summed[0] == summed[1]


def _product(F: Any, product: _Product, arrays: Sequence[Any]) -> Any:
    left, right = arrays[product.first], arrays[1 - product.first]
    multiply = {2: F.dot, 3: F.batch_dot}.get(left.ndim, F.matmul)
    return multiply(left, right, *product.flips)


def _matrix_product(terms: Sequence[str], output: str) -> _Product | None:
    """Return the matrix product that computes the result, or None if there is no single one."""
    if len(terms) != 2 or not all(term.isalpha() for term in terms):
        return None
    count = len(output)
    batch, rest = output[:-2], output[-2:]
    for first, (left, right) in enumerate((terms, terms[::-1])):
        inner = left[-2:].strip(rest[:1])
        is_matrix = len(left) == len(right) == len(set(left)) == len(set(right)) == count > 1
        if (
            is_matrix
            and left[:-2] == right[:-2] == batch
            and len(inner) == 1
            and set(left[-2:]) == {rest[0], inner}
            and set(right[-2:]) == {rest[1], inner}
        ):
            return _Product(first, (left[-2] == inner, right[-1] == inner))
    return None


class _EinsumPlan(NamedTuple):
    """Subscripts of the operands with axes, which these are, and properties of the result."""

    subscripts: str
    kept: tuple[bool, ...]
    is_sum: bool
    product: _Product | None


@lru_cache(maxsize=256)
def _einsum_plan(subscripts: str, ranks: tuple[int, ...]) -> _EinsumPlan:
    """Parse subscripts for operands with known numbers of axes."""
    inputs, arrow, output = "".join(subscripts.split()).partition("->")
    terms = inputs.split(",")
    if len(terms) != len(ranks):
        raise ValueError(f"einsum: {subscripts!r} names {len(terms)} operands, got {len(ranks)}")
    pairs = list(zip(terms, ranks, strict=True))
    kept = tuple(bool(rank or term.strip(".")) for term, rank in pairs)
    left = ",".join(term for term, is_kept in zip(terms, kept, strict=True) if is_kept)
    if "..." not in left:
        output = output.replace("...", "")
    labels = output if arrow else [x for x in left if x.isalpha() and left.count(x) == 1]
    covers = any(rank > len(term.replace("...", "")) for term, rank in pairs)
    has_rest = covers and (not arrow or "..." in output)
    is_sum = not has_rest and not any(label != "." for label in labels)
    product = _matrix_product(terms, output if arrow else "".join(sorted(labels)))
    return _EinsumPlan(left + arrow + output, kept, is_sum, product)


_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def _from_lists(arguments: Sequence[Any]) -> tuple[str, list[Any]]:
    """Return subscripts and operands for operands with lists of labels."""
    arrays, labels = list(arguments[0::2]), list(arguments[1::2])
    result = None
    if len(arrays) > len(labels):
        result = arrays.pop()
    terms = [
        "".join("..." if label is Ellipsis else _LETTERS[label] for label in listed)
        for listed in [*labels, *([] if result is None else [result])]
    ]
    inputs = ",".join(terms[: len(arrays)])
    return (inputs if result is None else f"{inputs}->{terms[-1]}"), arrays


def polyval(p: Any, x: Any) -> Any:
    """Return the value of a polynomial at each element of `x`.

    Parameters
    ----------
    p : ndarray
        Coefficients, that of the highest power first.
    x : ndarray or number

    Examples
    --------
    >>> from opforge import np
    >>> np.polyval(np.array([1, 0, 2]), np.array([3, 4]))
    array([11., 18.])
    """
    F, (p, x) = operands((p, x))
    result = x * 0
    for i in range(p.shape[0]):
        coefficient = scalar_of(F.slice_axis(p, axis=0, begin=i, end=i + 1))
        result = F.broadcast_add(result * x, coefficient)
    return result


def trapz(y: Any, x: Any = None, dx: float = 1.0, axis: int = -1) -> Any:
    """Return the integral along an axis by the trapezoidal rule.

    Parameters
    ----------
    y : ndarray
    x : ndarray, optional
        Positions of the elements, default equally spaced.
    dx : float, default 1.0
        Their distance without `x`.
    axis : int, default -1

    Examples
    --------
    >>> from opforge import np
    >>> np.trapz(np.array([1, 2, 3]))
    array(4.)
    """
    F, (y, *positions) = operands((y,) if x is None else (y, x))
    y = moveaxis(y, axis, -1)
    areas = (_following(F, y) + _preceding(F, y)) / 2
    for x in positions:
        x = x if x.ndim == 1 else moveaxis(x, axis, -1)
        areas = F.broadcast_mul(areas, _following(F, x) - _preceding(F, x))
    areas = areas * dx if x is None else areas
    return with_shape(F.sum(areas, axis=-1), y.shape[:-1])


def _following(F: Any, x: Any) -> Any:
    return F.slice_axis(x, axis=-1, begin=1, end=None)


def _preceding(F: Any, x: Any) -> Any:
    return F.slice_axis(x, axis=-1, begin=0, end=-1)
