"""`RMSProp`, plain and centered."""

from typing import Any

from .. import ndarray as nd
from ..ndarray import NDArray
from .base import register
from .fused import FusedOptimizer

__all__ = ["RMSProp"]


@register
class RMSProp(FusedOptimizer):
    """Divide by a running root mean square of the gradient (Tieleman and Hinton, 2012).

    With ``g = clip(rescale_grad * grad + wd * weight)``::

        n = gamma1 * n + (1 - gamma1) * g * g
        weight -= lr * g / sqrt(n + epsilon)

    The centered form (Graves, 2013) subtracts the squared mean of g from n and uses momentum.

    Parameters
    ----------
    learning_rate : float, default 0.001
        Overrides the `base_lr` of a scheduler, even by default, as in MXNet. None uses the
        scheduler's, or 0.01 without a scheduler.
    gamma1 : float, default 0.9
        Decay of the running means.
    gamma2 : float, default 0.9
        Momentum; centered form only.
    epsilon : float, default 1e-8
    centered : bool, default False
    clip_weights : float, optional
        Weights are clipped to [-clip_weights, clip_weights].
    **kwargs
        See `Optimizer`.
    """

    rule = "rmsprop"

    def __init__(
        self,
        learning_rate: float | None = 0.001,
        gamma1: float = 0.9,
        gamma2: float = 0.9,
        epsilon: float = 1e-8,
        centered: bool = False,
        clip_weights: float | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate=learning_rate, **kwargs)
        self.gamma1 = gamma1
        self.gamma2 = gamma2
        self.epsilon = epsilon
        self.centered = centered
        self.clip_weights = clip_weights

    def create_state(self, index: Any, weight: NDArray) -> Any:
        """Return the running means: n; or n, mean of g and momentum in the centered form."""
        return tuple(nd.zeros_like(weight) for _ in range(3 if self.centered else 1))

    def coefficients(self) -> dict[str, float]:
        """Return the settings of the rule."""
        return {
            "a": self.gamma1,
            "b": self.gamma2,
            "epsilon": self.epsilon,
            "limit": self.clip_weights or 0.0,
        }
