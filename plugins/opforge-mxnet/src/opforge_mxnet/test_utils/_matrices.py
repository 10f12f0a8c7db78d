"""Special arrays, under MXNet's names: index, identity and real-eigenvalue matrices."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from opforge import ndarray as nd

__all__ = [
    "create_2d_tensor",
    "create_vector",
    "get_identity_mat",
    "get_identity_mat_batch",
    "new_matrix_with_real_eigvals_2d",
    "new_matrix_with_real_eigvals_nd",
    "new_orthonormal_matrix_2d",
    "new_sym_matrix_with_real_eigvals_2d",
    "new_sym_matrix_with_real_eigvals_nd",
]

#: Upper bound of the 2-norm condition number of a well-conditioned basis.
_GOOD_CONDITION = 3


def create_2d_tensor(rows: int, columns: int, dtype: Any = np.int64) -> Any:
    """Return an NDArray of shape (rows, columns) whose elements are their row indices."""
    column = nd.arange(0, rows, dtype=dtype).reshape((rows, 1))
    return nd.broadcast_to(column, shape=(rows, columns))


def create_vector(size: int, dtype: Any = np.int64) -> Any:
    """Return the NDArray ``0, 1, ..., size - 1``."""
    return nd.arange(0, size, dtype=dtype)


def get_identity_mat(size: int) -> Any:
    """Return the identity matrix as a float32 NDArray."""
    return nd.array(np.eye(size, dtype=np.float32))


def get_identity_mat_batch(size: int) -> Any:
    """Return two identity matrices as a float32 NDArray of shape (2, size, size)."""
    return nd.array(np.broadcast_to(np.eye(size, dtype=np.float32), (2, size, size)))


def new_matrix_with_real_eigvals_2d(n: int) -> np.ndarray:
    """Return a random (n, n) matrix with real eigenvalues in [-10, 10).

    The basis of its eigenvectors is well conditioned.
    """
    while True:
        v = np.random.uniform(-1.0, 1.0, n)
        v /= np.linalg.norm(v)
        reflection = np.eye(n) - 2.0 * np.outer(v, v)
        basis = reflection * np.random.uniform(-1.0, 1.0, n)
        if np.linalg.cond(basis, 2) < _GOOD_CONDITION:
            break
    values = np.random.uniform(-10.0, 10.0, n)
    return np.linalg.solve(basis, values[:, None] * basis)


def new_matrix_with_real_eigvals_nd(shape: Sequence[int]) -> np.ndarray:
    """Return an array of shape `shape` of random square matrices with real eigenvalues."""
    return _stack(new_matrix_with_real_eigvals_2d, shape)


def new_orthonormal_matrix_2d(n: int) -> np.ndarray:
    """Return a random orthonormal (n, n) matrix."""
    return np.linalg.qr(np.random.standard_normal((n, n)))[0]


def new_sym_matrix_with_real_eigvals_2d(n: int) -> np.ndarray:
    """Return a random symmetric (n, n) matrix with eigenvalues in [-10, 10)."""
    basis = new_orthonormal_matrix_2d(n)
    return basis.T @ (np.random.uniform(-10.0, 10.0, n)[:, None] * basis)


def new_sym_matrix_with_real_eigvals_nd(shape: Sequence[int]) -> np.ndarray:
    """Return an array of shape `shape` of random symmetric matrices."""
    return _stack(new_sym_matrix_with_real_eigvals_2d, shape)


def _stack(make: Callable[[int], np.ndarray], shape: Sequence[int]) -> np.ndarray:
    count = int(np.prod(shape[:-2]))
    matrices = [make(shape[-1]) for _ in range(count)]
    return np.asarray(matrices, np.float64).reshape(tuple(shape))
