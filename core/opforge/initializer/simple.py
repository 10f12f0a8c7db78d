"""Initializers that do not depend on the shape."""

from typing import Any

import numpy as np

from .. import ndarray as nd
from ..ndarray import NDArray
from .base import Initializer, alias, register

__all__ = ["Constant", "Normal", "One", "Uniform", "Zero"]


@register
@alias("zeros")
class Zero(Initializer):
    """Fill with 0."""

    def _init_weight(self, desc: str, arr: NDArray) -> None:
        arr[:] = 0


@register
@alias("ones")
class One(Initializer):
    """Fill with 1."""

    def _init_weight(self, desc: str, arr: NDArray) -> None:
        arr[:] = 1


@register
class Constant(Initializer):
    """Fill with a value.

    Parameters
    ----------
    value : float, list, tuple, numpy.ndarray or NDArray
        A sequence or array must have the parameter's shape, or broadcast to it.

    Examples
    --------
    >>> from opforge import init
    >>> init.Constant([1, 2]).dumps()
    '["constant", {"value": [1, 2]}]'
    """

    def __init__(self, value: Any) -> None:
        is_array = isinstance(value, NDArray | np.ndarray)
        super().__init__(value=value.tolist() if is_array else value)
        self.value = value

    def _init_weight(self, desc: str, arr: NDArray) -> None:
        value = self.value
        if isinstance(value, list | tuple):
            value = np.array([v.asnumpy() if isinstance(v, NDArray) else v for v in value])
        arr[:] = value


@register
class Uniform(Initializer):
    """Fill with samples from the uniform distribution on [-scale, scale).

    Parameters
    ----------
    scale : float, default 0.07
    """

    def __init__(self, scale: float = 0.07) -> None:
        super().__init__(scale=scale)
        self.scale = scale

    def _init_weight(self, desc: str, arr: NDArray) -> None:
        nd.random.uniform(-self.scale, self.scale, out=arr)


@register
class Normal(Initializer):
    """Fill with samples from the normal distribution with mean 0.

    Parameters
    ----------
    sigma : float, default 0.01
        Standard deviation.
    """

    def __init__(self, sigma: float = 0.01) -> None:
        super().__init__(sigma=sigma)
        self.sigma = sigma

    def _init_weight(self, desc: str, arr: NDArray) -> None:
        nd.random.normal(0, self.sigma, out=arr)
