"""Initializers that give an array structure."""

import math

import numpy as np

from .. import ndarray as nd
from ..ndarray import NDArray
from .base import Initializer, register

__all__ = ["Bilinear", "LSTMBias", "Orthogonal"]


@register
class Orthogonal(Initializer):
    """Fill with a multiple of a matrix whose rows (or columns) are orthonormal.

    Parameters
    ----------
    scale : float, default 1.414
    rand_type : {"uniform", "normal"}, default "uniform"
        Distribution of the random matrix that is orthogonalized.
    """

    def __init__(self, scale: float = 1.414, rand_type: str = "uniform") -> None:
        super().__init__(scale=scale, rand_type=rand_type)
        self.scale = scale
        self.rand_type = rand_type

    def _init_weight(self, desc: str, arr: NDArray) -> None:
        rows, columns = arr.shape[0], math.prod(arr.shape[1:])
        if self.rand_type == "uniform":
            samples = nd.random.uniform(-1.0, 1.0, shape=(rows, columns))
        elif self.rand_type == "normal":
            samples = nd.random.normal(0.0, 1.0, shape=(rows, columns))
        else:
            raise ValueError(
                f"Unknown rand_type {self.rand_type!r}; expected 'uniform' or 'normal'"
            )
        left, _, right = np.linalg.svd(samples.asnumpy(), full_matrices=False)
        matrix = left if left.shape == (rows, columns) else right
        arr[:] = (self.scale * matrix).reshape(arr.shape)


@register
class Bilinear(Initializer):
    """Fill the weight of a transposed convolution so that it upsamples bilinearly."""

    def _init_weight(self, desc: str, arr: NDArray) -> None:
        height, width = arr.shape[2:4]
        factor = math.ceil(width / 2.0)
        center = (2 * factor - 1 - factor % 2) / (2.0 * factor)
        x_w = 1 - np.abs(np.arange(width) / factor - center)
        y_h = 1 - np.abs(np.arange(height) / factor - center)
        arr[:] = np.broadcast_to(y_h[:, None] * x_w, arr.shape)


@register
class LSTMBias(Initializer):
    """Fill the bias of an LSTM: 0, and `forget_bias` for the forget gate (the second of four).

    Parameters
    ----------
    forget_bias : float, default 1.0
    """

    def __init__(self, forget_bias: float = 1.0) -> None:
        super().__init__(forget_bias=forget_bias)
        self.forget_bias = forget_bias

    def _init_weight(self, desc: str, arr: NDArray) -> None:
        arr[:] = 0.0
        hidden = arr.shape[0] // 4
        arr[hidden : 2 * hidden] = self.forget_bias
