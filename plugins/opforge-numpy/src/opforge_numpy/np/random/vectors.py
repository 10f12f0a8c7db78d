"""Vectors with normal distributions."""

from typing import Any

import numpy as np

from ...arguments import as_array, with_shape
from ...arrays import adopt
from ...elementwise import sqrt
from ...promotion import name_of
from ...shapes import expand_dims
from ...symbols.namespace import is_symbol, namespace_of
from ..linalg.decompositions import svd
from .drawing import Size, standard

__all__ = [
    "multivariate_normal",
]


def multivariate_normal(
    mean: Any,
    cov: Any,
    size: Size = None,
    check_valid: str | None = None,
    tol: float | None = None,
) -> Any:
    """Draw vectors from normal distributions; gradients flow to `mean`.

    Parameters
    ----------
    mean : ndarray, shape (..., k)
    cov : ndarray, shape (..., k, k)
        Covariances, symmetric and positive semidefinite.
    size : int or tuple of int, optional
        Number of vectors to draw from each distribution.
    check_valid, tol : optional
        Accepted for compatibility with NumPy.

    Returns
    -------
    ndarray
        Shape of `size` and of the distributions, then k.

    Examples
    --------
    >>> from opforge import np
    >>> np.random.multivariate_normal(np.zeros(2), np.eye(2), size=3).shape
    (3, 2)
    """
    F = namespace_of(mean, cov)
    mean, cov = as_array(mean), as_array(cov)
    count = () if size is None else (size,) if isinstance(size, int) else tuple(size)
    batch = np.broadcast_shapes(mean.shape[:-1], cov.shape[:-2])
    length = mean.shape[-1]
    if cov.shape[-2:] != (length, length):
        raise ValueError(
            f"np.random.multivariate_normal: cov has shape {cov.shape}, expected "
            f"(..., {length}, {length}) because mean has shape {mean.shape}"
        )
    # Singular values exist for semidefinite matrices too, which have no Cholesky factor.
    left, values, _ = svd(F.BlockGrad(cov))
    factor = F.cast(F.broadcast_mul(left, expand_dims(sqrt(values), -2)), dtype=name_of(mean))
    ctx = None if is_symbol(mean) else mean.context
    x = standard(F, "normal", (*count, *batch, 1, length), (), name_of(mean), ctx)
    drawn = F.matmul(x, factor, transpose_b=True)
    return adopt(F.add(with_shape(drawn, (*count, *batch, length)), mean))
