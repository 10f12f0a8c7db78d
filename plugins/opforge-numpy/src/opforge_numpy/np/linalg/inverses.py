"""Inverses, linear systems and determinants."""

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from opforge.plugin_api import F as nd

from ...arguments import as_array, axis_index, from_numpy, with_shape
from ...products import matmul
from ...shapes import ravel, transpose
from ...symbols.calls import on_arrays
from .computing import Arrays, computed, eye, matrices_of, scaled, summed_to, transposed

__all__ = ["det", "inv", "pinv", "slogdet", "solve", "tensorinv", "tensorsolve"]


@on_arrays("linalg.inv")
def inv(a: Any) -> Any:
    """Return the inverse of square matrices.

    Parameters
    ----------
    a : ndarray of shape (..., n, n)

    Raises
    ------
    numpy.linalg.LinAlgError
        A matrix is singular.

    Examples
    --------
    >>> from opforge import np
    >>> np.linalg.inv(np.array([[2, 0], [0, 4]]))
    array([[0.5 , 0.  ],
           [0.  , 0.25]])
    """
    return computed(np.linalg.inv, _inv_gradient, matrices_of("inv", a, square=True))


def _inv_gradient(grads: Arrays, inputs: Arrays, outputs: Arrays) -> Any:
    back = transposed(outputs[0])
    return -matmul(matmul(back, grads[0]), back)


@on_arrays("linalg.solve")
def solve(a: Any, b: Any) -> Any:
    """Solve the linear systems ``a x = b``.

    Parameters
    ----------
    a : ndarray of shape (..., n, n)
    b : ndarray of shape (n,), (..., n) with as many vectors as matrices, or (..., n, k)

    Raises
    ------
    numpy.linalg.LinAlgError
        A matrix is singular.

    Examples
    --------
    >>> from opforge import np
    >>> np.linalg.solve(np.array([[2, 0], [0, 4]]), np.array([2, 2]))
    array([1. , 0.5])
    """
    a, b = matrices_of("solve", a, square=True), as_array(b)
    if b.ndim == 1 or b.shape == a.shape[:-1]:
        columns = solve(a, with_shape(b, (*b.shape, 1)))
        return with_shape(columns, columns.shape[:-1])
    return computed(np.linalg.solve, _solve_gradient, a, b)


def _solve_gradient(grads: Arrays, inputs: Arrays, outputs: Arrays) -> Any:
    a, b = inputs
    of_b = solve(transposed(a), grads[0])
    of_a = -matmul(of_b, transposed(outputs[0]))
    return [summed_to(of_a, a), summed_to(of_b, b)]


@on_arrays("linalg.tensorinv")
def tensorinv(a: Any, ind: int = 2) -> Any:
    """Return the inverse of an array as a map between tensors.

    Parameters
    ----------
    a : ndarray
        The first `ind` axes and the others have the same number of elements.
    ind : int, default 2

    Examples
    --------
    >>> from opforge import np
    >>> np.linalg.tensorinv(np.ones((1, 1, 1)), ind=1).shape
    (1, 1, 1)
    """
    a = as_array(a)
    if ind <= 0:
        raise ValueError(f"tensorinv: ind is {ind}; expected a number > 0")
    first, rest = a.shape[:ind], a.shape[ind:]
    return with_shape(inv(_as_square("tensorinv", a, first)), rest + first)


def _as_square(name: str, a: Any, first: tuple[int, ...]) -> Any:
    """Return a tensor as a square matrix with the axes `first` in its rows."""
    rows = prod(first)
    if rows * rows != a.size:
        raise np.linalg.LinAlgError(f"{name}: an array of shape {a.shape} is not a square map")
    return with_shape(a, (rows, rows))


@on_arrays("linalg.tensorsolve")
def tensorsolve(a: Any, b: Any, axes: Sequence[int] | None = None) -> Any:
    """Solve ``tensordot(a, x, x.ndim) = b`` for `x`.

    Parameters
    ----------
    a : ndarray
    b : ndarray
    axes : sequence of int, optional
        Axes of `a` to move to the end first.

    Examples
    --------
    >>> from opforge import np
    >>> np.linalg.tensorsolve(np.eye(4).reshape(2, 2, 4), np.ones((2, 2))).shape
    (4,)
    """
    a, b = as_array(a), as_array(b)
    if axes is not None:
        moved = [axis_index(axis, a.ndim) for axis in axes]
        a = transpose(a, [axis for axis in range(a.ndim) if axis not in moved] + moved)
    matrix = _as_square("tensorsolve", a, b.shape)
    return with_shape(solve(matrix, ravel(b)), a.shape[b.ndim - a.ndim :])


@on_arrays("linalg.pinv")
def pinv(a: Any, rcond: Any = 1e-15, hermitian: bool = False) -> Any:
    """Return the Moore-Penrose pseudo-inverse of matrices.

    Parameters
    ----------
    a : ndarray of shape (..., m, n)
    rcond : float or ndarray, default 1e-15
        Singular values below this part of the largest one are 0.
    hermitian : bool, default False
        The matrices are symmetric.

    Examples
    --------
    >>> from opforge import np
    >>> np.linalg.pinv(np.array([[2.0], [0.0]]))
    array([[0.5, 0. ]])
    """
    limit = rcond.asnumpy() if hasattr(rcond, "asnumpy") else rcond
    return computed(
        lambda x: np.linalg.pinv(x, limit, hermitian), _pinv_gradient, matrices_of("pinv", a)
    )


def _pinv_gradient(grads: Arrays, inputs: Arrays, outputs: Arrays) -> Any:
    (a,), (p,), (grad,) = inputs, outputs, grads
    rows = nd.broadcast_sub(eye(a, a.shape[-2]), matmul(a, p))
    columns = nd.broadcast_sub(eye(a, a.shape[-1]), matmul(p, a))
    back = transposed(p)
    left = matmul(matmul(rows, transposed(grad)), matmul(p, back))
    right = matmul(matmul(back, p), matmul(transposed(grad), columns))
    return left + right - matmul(matmul(back, grad), back)


@on_arrays("linalg.det")
def det(a: Any) -> Any:
    """Return the determinant of square matrices.

    Parameters
    ----------
    a : ndarray of shape (..., n, n)

    Examples
    --------
    >>> from opforge import np
    >>> np.linalg.det(np.array([[1, 0], [0, 3]]))
    array(3.)
    """
    return computed(np.linalg.det, _det_gradient, matrices_of("det", a, square=True))


def _det_gradient(grads: Arrays, inputs: Arrays, outputs: Arrays) -> Any:
    return scaled(transposed(from_numpy(_cofactors(inputs[0].asnumpy()), inputs[0])), grads[0])


def _cofactors(a: Any) -> Any:
    """Return the adjugate of square matrices, also of singular ones."""
    u, s, vt = np.linalg.svd(a)
    count = a.shape[-1]
    others = np.stack([np.delete(s, i, -1).prod(-1) for i in range(count)], -1) if count else s
    sign = np.linalg.det(u) * np.linalg.det(vt)
    return (np.swapaxes(vt, -1, -2) * (others * sign[..., None])[..., None, :]) @ np.swapaxes(
        u, -1, -2
    )


@on_arrays("linalg.slogdet")
def slogdet(a: Any) -> Any:
    """Return the sign and the logarithm of the absolute value of determinants.

    Parameters
    ----------
    a : ndarray of shape (..., n, n)

    Returns
    -------
    sign, logabsdet : ndarray
        0 and -inf for a singular matrix. The sign has no gradient.

    Examples
    --------
    >>> from opforge import np
    >>> np.linalg.slogdet(np.array([[-1, 0], [0, 1]]))
    (array(-1.), array(0.))
    """
    matrices = matrices_of("slogdet", a, square=True)
    return computed(lambda x: tuple(np.linalg.slogdet(x)), _slogdet_gradient, matrices)


def _slogdet_gradient(grads: Arrays, inputs: Arrays, outputs: Arrays) -> Any:
    return scaled(transposed(inv(inputs[0])), grads[1])
