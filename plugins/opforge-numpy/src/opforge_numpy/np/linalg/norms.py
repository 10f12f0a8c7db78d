"""Norms, powers and products of several matrices."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from opforge.plugin_api import F as nd

from ...arguments import as_array, axis_index, with_shape
from ...products import einsum, matmul
from ...shapes import moveaxis
from ...symbols.namespace import namespace_of
from .computing import eye, floating, matrices_of
from .decompositions import svd
from .inverses import inv

__all__ = ["matrix_power", "multi_dot", "norm"]


def matrix_power(a: Any, n: int) -> Any:
    """Return square matrices to an integer power.

    Examples
    --------
    >>> from opforge import np
    >>> np.linalg.matrix_power(np.array([[2, 0], [0, 1]]), 3)
    array([[8., 0.],
           [0., 1.]])
    """
    a = matrices_of("matrix_power", a, square=True)
    if n < 0:
        a, n = inv(a), -n
    if n == 0:
        return nd.broadcast_add(a * 0, eye(a, a.shape[-1]))
    result = None
    while n:
        if n & 1:
            result = a if result is None else matmul(result, a)
        n >>= 1
        if n:
            a = matmul(a, a)
    return result


def multi_dot(arrays: Sequence[Any], *, out: Any = None) -> Any:
    """Return the product of several matrices in the order with the fewest multiplications.

    The first and the last may be vectors.

    Examples
    --------
    >>> from opforge import np
    >>> np.linalg.multi_dot([np.ones((2, 3)), np.ones((3, 4)), np.ones(4)])
    array([12., 12.])
    """
    listed = [as_array(array) for array in arrays]
    if len(listed) < 2:
        raise ValueError(f"multi_dot: expected at least two arrays, got {len(listed)}")
    letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    first = 0 if listed[0].ndim > 1 else 1
    terms = [letters[i : i + 2] for i in range(len(listed))]
    terms[0] = terms[0][first:]
    if listed[-1].ndim == 1:
        terms[-1] = terms[-1][:1]
    result = terms[0][: 1 - first] + terms[-1][1:]
    return einsum(f"{','.join(terms)}->{result}", *listed, out=out, optimize=True)


def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the norm of vectors or matrices.

    Parameters
    ----------
    x : ndarray
    ord : number or str, optional
        Order. Vectors: any number, inf and -inf. Matrices: 1, -1, 2, -2, inf, -inf, 'fro', the
        default, and 'nuc'. As in MXNet, inf and -inf may also be strings.
    axis : int or (int, int), optional
        Axis of vectors or axes of matrices, default all axes.
    keepdims : bool, default False
        Keep the axes with length 1.

    Examples
    --------
    >>> from opforge import np
    >>> np.linalg.norm(np.array([3, 4]))
    array(5.)
    """
    x = floating(as_array(x))
    ord = {"inf": np.inf, "-inf": -np.inf}.get(ord, ord) if isinstance(ord, str) else ord
    if axis is None:
        if ord is None or (x.ndim == 1 and ord == 2) or (x.ndim == 2 and ord == "fro"):
            result = namespace_of(x).norm(x)
            return with_shape(result, (1,) * x.ndim if keepdims else ())
        axis = tuple(range(x.ndim))
    axes = [axis_index(i, x.ndim) for i in ((axis,) if isinstance(axis, int) else axis)]
    rest = [i for i in range(x.ndim) if i not in axes]
    kept = tuple(1 if i in axes else n for i, n in enumerate(x.shape))
    shape = kept if keepdims else tuple(x.shape[i] for i in rest)
    if len(axes) == 1:
        result = _vector_norm(moveaxis(x, axes[0], -1), 2 if ord is None else ord)
    elif len(axes) == 2:
        if axes[0] == axes[1]:
            raise ValueError(f"norm: axis {axis} names an axis twice")
        result = _matrix_norm(moveaxis(x, axes, (-2, -1)), "fro" if ord is None else ord)
    else:
        raise ValueError(f"norm: a norm has one axis or two, got {len(axes)}")
    return with_shape(result, shape)


def _vector_norm(x: Any, order: Any) -> Any:
    """Return the norms of vectors in the last axis."""
    F = namespace_of(x)
    if isinstance(order, str):
        raise ValueError(f"norm: order {order!r} is for matrices, not for vectors")
    if order == np.inf:
        return F.max(F.abs(x), axis=-1)
    if order == -np.inf:
        return F.min(F.abs(x), axis=-1)
    if order == 0:
        return F.sum((x != 0).astype(x.dtype), axis=-1)
    if order == 1:
        return F.sum(F.abs(x), axis=-1)
    if order == 2:
        return F.norm(x, ord=2, axis=-1)
    return F.sum(F.abs(x) ** order, axis=-1) ** (1.0 / order)


def _matrix_norm(x: Any, order: Any) -> Any:
    """Return the norms of matrices in the last two axes."""
    F = namespace_of(x)
    if order == "fro":
        return F.norm(with_shape(x, (*x.shape[:-2], x.shape[-2] * x.shape[-1])), ord=2, axis=-1)
    if order == "nuc":
        return F.sum(svd(x)[1], axis=-1)
    if order == 2:
        return F.max(svd(x)[1], axis=-1)
    if order == -2:
        return F.min(svd(x)[1], axis=-1)
    if order in (1, -1, np.inf, -np.inf):
        sums = F.sum(F.abs(x), axis=-2 if abs(order) == 1 else -1)
        return (F.max if order > 0 else F.min)(sums, axis=-1)
    raise ValueError(f"norm: order {order!r} is not one of matrices")
