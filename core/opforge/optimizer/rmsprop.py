"""`RMSProp`, plain and centered."""

from typing import Any

from .. import ndarray as nd
from ..ndarray import NDArray
from .base import Optimizer, register
from .sgd import _default

__all__ = ["RMSProp"]


@register
class RMSProp(Optimizer):
    """Divide by a running mean of the gradient's magnitude (Tieleman and Hinton, 2012).

    With ``g = clip(rescale_grad * grad + wd * weight)``::

        n = gamma1 * n + (1 - gamma1) * g * g
        weight -= lr * g / sqrt(n + epsilon)

    The centered form (Graves, 2013) subtracts the squared mean of g from n and has a momentum.

    Parameters
    ----------
    learning_rate : float, default 0.001
    gamma1 : float, default 0.9
        Decay of the running means.
    gamma2 : float, default 0.9
        Momentum; centered form only.
    epsilon : float, default 1e-8
    centered : bool, default False
    clip_weights : float, optional
        Weights are clipped to [-clip_weights, clip_weights].
    **kwargs
        Settings of `Optimizer`.
    """

    def __init__(
        self,
        learning_rate: float | None = None,
        gamma1: float = 0.9,
        gamma2: float = 0.9,
        epsilon: float = 1e-8,
        centered: bool = False,
        clip_weights: float | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate=_default(learning_rate, kwargs, 0.001), **kwargs)
        self.gamma1 = gamma1
        self.gamma2 = gamma2
        self.epsilon = epsilon
        self.centered = centered
        self.clip_weights = clip_weights

    def create_state(self, index: Any, weight: NDArray) -> Any:
        """Return the running means: n; or n, mean of g and momentum in the centered form."""
        return tuple(nd.zeros_like(weight) for _ in range(3 if self.centered else 1))

    def update(self, index: Any, weight: NDArray, grad: NDArray, state: Any) -> None:
        """Update `weight` and the running means."""
        self._update_count(index)
        lr, wd = self._get_lr(index), self._get_wd(index)
        g = self._rescaled(grad, weight, wd)
        n = state[0]
        n *= self.gamma1
        n += g * g * (1.0 - self.gamma1)
        if self.centered:
            _, mean, delta = state
            mean *= self.gamma1
            mean += g * (1.0 - self.gamma1)
            delta *= self.gamma2
            delta -= g * lr / nd.sqrt(n - mean * mean + self.epsilon)
            weight += delta
        else:
            weight -= g * lr / nd.sqrt(n + self.epsilon)
        if self.clip_weights:
            nd.clip(weight, -self.clip_weights, self.clip_weights, out=weight)
