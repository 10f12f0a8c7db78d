"""`Adam`."""

import math
from typing import Any

from .. import ndarray as nd
from ..ndarray import NDArray
from .base import Optimizer, register
from .sgd import _default

__all__ = ["Adam"]


@register
class Adam(Optimizer):
    """Adaptive moments (Kingma and Ba, 2014).

    With ``g = clip(rescale_grad * grad + wd * weight)`` and t updates so far::

        mean = beta1 * mean + (1 - beta1) * g
        var = beta2 * var + (1 - beta2) * g * g
        weight -= lr * sqrt(1 - beta2**t) / (1 - beta1**t) * mean / (sqrt(var) + epsilon)

    Parameters
    ----------
    learning_rate : float, default 0.001
    beta1, beta2 : float, default 0.9 and 0.999
    epsilon : float, default 1e-8
    lazy_update : bool, default True
        For sparse gradients; accepted and without effect.
    **kwargs
        Settings of `Optimizer`.
    """

    def __init__(
        self,
        learning_rate: float | None = None,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-8,
        lazy_update: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate=_default(learning_rate, kwargs, 0.001), **kwargs)
        self.beta1 = beta1
        self.beta2 = beta2
        self.epsilon = epsilon
        self.lazy_update = lazy_update

    def create_state(self, index: Any, weight: NDArray) -> Any:
        """Return mean and variance of zeros."""
        return nd.zeros_like(weight), nd.zeros_like(weight)

    def update(self, index: Any, weight: NDArray, grad: NDArray, state: Any) -> None:
        """Update `weight`, mean and variance."""
        self._update_count(index)
        lr, wd = self._get_lr(index), self._get_wd(index)
        t = self._index_update_count[index]
        lr *= math.sqrt(1.0 - self.beta2**t) / (1.0 - self.beta1**t)
        g = self._rescaled(grad, weight, wd)
        mean, var = state
        mean *= self.beta1
        mean += g * (1.0 - self.beta1)
        var *= self.beta2
        g *= g
        g *= 1.0 - self.beta2
        var += g
        nd.sqrt(var, out=g)
        g += self.epsilon
        weight -= mean * lr / g
