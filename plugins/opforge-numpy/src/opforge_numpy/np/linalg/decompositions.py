"""Decompositions of matrices and eigenvalues."""

from typing import Any

import numpy as np

from opforge.plugin_api import F as nd

from ...products import matmul
from ...symbols.calls import on_arrays
from .computing import (
    Arrays,
    columns_times,
    computed,
    eye,
    matrices_of,
    reciprocal_gaps,
    transposed,
)
from .inverses import inv

__all__ = ["cholesky", "eig", "eigh", "eigvals", "eigvalsh", "qr", "svd"]


@on_arrays("linalg.cholesky")
def cholesky(a: Any) -> Any:
    """Return the lower triangular matrices ``L`` with ``L L^T = a``.

    Parameters
    ----------
    a : ndarray of shape (..., n, n)
        Symmetric positive definite matrices; the lower triangle is read.

    Raises
    ------
    numpy.linalg.LinAlgError
        A matrix is not positive definite.

    Examples
    --------
    >>> from opforge import np
    >>> np.linalg.cholesky(np.array([[4, 2], [2, 5]]))
    array([[2., 0.],
           [1., 2.]])
    """
    return computed(np.linalg.cholesky, _cholesky_gradient, matrices_of("cholesky", a, square=True))


def _cholesky_gradient(grads: Arrays, inputs: Arrays, outputs: Arrays) -> Any:
    (lower,) = outputs
    count = lower.shape[-1]
    halved = nd.array(np.tri(count) - np.eye(count) / 2, ctx=lower.context, dtype=lower.dtype)
    middle = nd.broadcast_mul(matmul(transposed(lower), grads[0]), halved)
    inverse = inv(lower)
    grad = matmul(matmul(transposed(inverse), middle), inverse)
    return (grad + transposed(grad)) / 2


@on_arrays("linalg.svd")
def svd(a: Any, full_matrices: bool = False) -> Any:
    """Return the singular value decomposition ``a = (ut * l) v``.

    Parameters
    ----------
    a : ndarray of shape (..., m, n)
    full_matrices : bool, default False
        Whether `ut` and `v` are square; then the result has no gradient.

    Returns
    -------
    ut : ndarray of shape (..., m, k)
        Orthonormal columns; ``k = min(m, n)``.
    l : ndarray of shape (..., k)
        Singular values in descending order.
    v : ndarray of shape (..., k, n)
        Orthonormal rows.

    Examples
    --------
    >>> from opforge import np
    >>> np.linalg.svd(np.array([[3, 0], [0, 2]]))[1]
    array([3., 2.])
    """
    a = matrices_of("svd", a)
    gradient = _no_full_gradient if full_matrices and a.shape[-1] != a.shape[-2] else _svd_gradient
    return computed(lambda x: tuple(np.linalg.svd(x, full_matrices)), gradient, a)


def _no_full_gradient(grads: Arrays, inputs: Arrays, outputs: Arrays) -> Any:
    raise NotImplementedError("svd with full_matrices=True has no gradient; pass False")


def _svd_gradient(grads: Arrays, inputs: Arrays, outputs: Arrays) -> Any:
    u, s, vt = outputs
    of_u, of_s, of_vt = grads
    gaps = reciprocal_gaps(s * s)
    inverse = nd.where(s == 0, nd.zeros_like(s), 1 / s)
    in_u, in_v = matmul(transposed(u), of_u), matmul(of_vt, transposed(vt))
    from_u = columns_times(gaps * (in_u - transposed(in_u)), s)
    from_v = transposed(columns_times(gaps * (in_v - transposed(in_v)), s))
    middle = from_u - from_v + columns_times(nd.broadcast_like(eye(u, s.shape[-1]), in_u), of_s)
    grad = matmul(matmul(u, middle), vt)
    if u.shape[-2] > s.shape[-1]:
        rest = columns_times(of_u - matmul(u, in_u), inverse)
        grad = grad + matmul(rest, vt)
    if vt.shape[-1] > s.shape[-1]:
        rest = of_vt - matmul(in_v, vt)
        grad = grad + matmul(columns_times(u, inverse), rest)
    return grad


@on_arrays("linalg.qr")
def qr(a: Any, mode: str = "reduced") -> Any:
    """Return the QR decomposition ``a = q r``.

    Parameters
    ----------
    a : ndarray of shape (..., m, n)
    mode : {'reduced', 'complete', 'r', 'raw'}, default 'reduced'
        'complete': `q` is square; 'r': return `r` alone; 'raw': Householder reflections and their
        factors.

    Returns
    -------
    q : ndarray of shape (..., m, k)
        Orthonormal columns; ``k = min(m, n)``.
    r : ndarray of shape (..., k, n)
        Upper triangular matrices. Both have a gradient if `q` has n columns.

    Examples
    --------
    >>> from opforge import np
    >>> [x.shape for x in np.linalg.qr(np.ones((3, 2)))]
    [(3, 2), (2, 2)]
    """
    a = matrices_of("qr", a)
    rows, columns = a.shape[-2:]
    has_gradient = rows >= columns if mode == "reduced" else rows == columns and mode == "complete"

    def compute(x: Any) -> Any:
        results: Any = np.linalg.qr(x, mode)  # type: ignore[call-overload]
        return results if mode == "r" else tuple(results)

    return computed(compute, _qr_gradient if has_gradient else _no_qr_gradient, a)


def _qr_gradient(grads: Arrays, inputs: Arrays, outputs: Arrays) -> Any:
    (q, r), (of_q, of_r) = outputs, grads
    middle = matmul(r, transposed(of_r)) - matmul(transposed(of_q), q)
    count = r.shape[-1]
    lower = nd.array(np.tri(count), ctx=r.context, dtype=r.dtype)
    below = nd.broadcast_mul(middle, lower - eye(r, count))
    symmetric = nd.broadcast_mul(middle, lower) + transposed(below)
    return matmul(of_q + matmul(q, symmetric), transposed(inv(r)))


def _no_qr_gradient(grads: Arrays, inputs: Arrays, outputs: Arrays) -> Any:
    raise NotImplementedError(
        "qr has a gradient for matrices with as many rows as columns or more, and mode 'reduced'"
    )


@on_arrays("linalg.eigh")
def eigh(a: Any, UPLO: Any = "L") -> Any:
    """Return the eigenvalues and eigenvectors of symmetric matrices.

    Parameters
    ----------
    a : ndarray of shape (..., n, n)
    UPLO : {'L', 'U'}, default 'L'
        The triangle to read.

    Returns
    -------
    w : ndarray of shape (..., n)
        Eigenvalues in ascending order.
    v : ndarray of shape (..., n, n)
        Normalized eigenvectors as columns.

    Examples
    --------
    >>> from opforge import np
    >>> np.linalg.eigh(np.array([[2, 0], [0, 1]]))[0]
    array([1., 2.])
    """
    matrices = matrices_of("eigh", a, square=True)
    return computed(lambda x: tuple(np.linalg.eigh(x, UPLO)), _eigh_gradient, matrices)


def _eigh_gradient(grads: Arrays, inputs: Arrays, outputs: Arrays) -> Any:
    w, v = outputs
    of_w, of_v = grads
    rotation = reciprocal_gaps(w) * matmul(transposed(v), of_v)
    middle = rotation + columns_times(nd.broadcast_like(eye(v, w.shape[-1]), rotation), of_w)
    grad = matmul(matmul(v, middle), transposed(v))
    return (grad + transposed(grad)) / 2


@on_arrays("linalg.eigvalsh")
def eigvalsh(a: Any, UPLO: Any = "L") -> Any:
    """Return the eigenvalues of symmetric matrices in ascending order.

    Parameters
    ----------
    a : ndarray of shape (..., n, n)
    UPLO : {'L', 'U'}, default 'L'
        The triangle to read.

    Examples
    --------
    >>> from opforge import np
    >>> np.linalg.eigvalsh(np.array([[2, 0], [0, 1]]))
    array([1., 2.])
    """
    return eigh(a, UPLO)[0]


@on_arrays("linalg.eig")
def eig(a: Any) -> Any:
    """Return the eigenvalues and eigenvectors of square matrices with real eigenvalues.

    Parameters
    ----------
    a : ndarray of shape (..., n, n)

    Returns
    -------
    w : ndarray of shape (..., n)
    v : ndarray of shape (..., n, n)
        Normalized eigenvectors as columns. Neither has a gradient.

    Raises
    ------
    TypeError
        An eigenvalue is complex.

    Examples
    --------
    >>> from opforge import np
    >>> np.linalg.eig(np.array([[2, 0], [0, 1]]))[0]
    array([2., 1.])
    """
    matrices = matrices_of("eig", a, square=True)
    return computed(lambda x: _real(*np.linalg.eig(x)), _no_gradient, matrices)


@on_arrays("linalg.eigvals")
def eigvals(a: Any) -> Any:
    """Return the eigenvalues of square matrices with real eigenvalues; they have no gradient.

    Examples
    --------
    >>> from opforge import np
    >>> np.linalg.eigvals(np.array([[2, 0], [0, 1]]))
    array([2., 1.])
    """
    matrices = matrices_of("eigvals", a, square=True)
    return computed(lambda x: _real(np.linalg.eigvals(x))[0], _no_gradient, matrices)


def _real(*arrays: Any) -> tuple[Any, ...]:
    if any(np.iscomplexobj(array) for array in arrays):
        raise TypeError("a matrix has complex eigenvalues; arrays of np have real elements")
    return arrays


def _no_gradient(grads: Arrays, inputs: Arrays, outputs: Arrays) -> Any:
    raise NotImplementedError("eigenvalues of general matrices have no gradient; see eigh")
