"""Vectors with normal distributions."""

from typing import Any

import numpy as np

from opforge.plugin_api import F as nd

from ...arguments import as_array
from ...arrays import adopt
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
    left, values, _ = np.linalg.svd(cov.asnumpy())
    factor = as_array((left * np.sqrt(values)[..., None, :]).astype(mean.dtype))
    x = standard(nd, "normal", (*count, *batch, 1, length), (), mean.dtype, mean.context)
    drawn = nd.matmul(x, factor, transpose_b=True)
    return adopt(nd.add(nd.reshape(drawn, shape=(*count, *batch, length)), mean))
