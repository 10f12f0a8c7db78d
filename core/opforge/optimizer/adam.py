"""`Adam`, and `AdamW` with decoupled weight decay."""

import math
from collections.abc import Sequence
from typing import Any

from .. import ndarray as nd
from ..ndarray import NDArray
from .base import register
from .fused import FusedOptimizer

__all__ = ["Adam", "AdamW"]


@register
class Adam(FusedOptimizer):
    """Adaptive moments (Kingma and Ba, 2014).

    With ``g = clip(rescale_grad * grad + wd * weight)`` and t updates so far::

        mean = beta1 * mean + (1 - beta1) * g
        var = beta2 * var + (1 - beta2) * g * g
        weight -= lr * sqrt(1 - beta2**t) / (1 - beta1**t) * mean / (sqrt(var) + epsilon)

    Parameters
    ----------
    learning_rate : float, default 0.001
        Overrides the `base_lr` of a scheduler, even by default, as in MXNet. None uses the
        scheduler's, or 0.01 without a scheduler.
    beta1, beta2 : float, default 0.9 and 0.999
    epsilon : float, default 1e-8
    lazy_update : bool, default True
        Skip rows that a row-sparse gradient lacks, including their moments.
    **kwargs
        See `Optimizer`.
    """

    rule = "adam"

    def __init__(
        self,
        learning_rate: float | None = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-8,
        lazy_update: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate=learning_rate, **kwargs)
        self.beta1 = beta1
        self.beta2 = beta2
        self.epsilon = epsilon
        self.lazy_update = lazy_update

    def create_state(self, index: Any, weight: NDArray) -> Any:
        """Return mean and variance, initially zeros."""
        return nd.zeros_like(weight), nd.zeros_like(weight)

    def coefficients(self) -> dict[str, float]:
        """Return the settings of the rule."""
        return {"a": self.beta1, "b": self.beta2, "epsilon": self.epsilon}

    def step_rates(self, indices: Sequence[Any], weights: Any, grads: Any) -> list[float]:
        """Return the learning rates that the rule is given."""
        return [
            rate * self._correction(self._index_update_count[index])
            for rate, index in zip(self.learning_rates(indices), indices, strict=True)
        ]

    def _correction(self, t: int) -> float:
        """Return the bias correction of the moments after `t` updates."""
        return math.sqrt(1.0 - self.beta2**t) / (1.0 - self.beta1**t)


@register
class AdamW(Adam):
    """Adam with decoupled weight decay (Loshchilov and Hutter, 2019), like PyTorch's `AdamW`.

    Each update multiplies the weight by ``1 - lr * wd``, then applies `Adam` without weight decay,
    so that the decay does not enter the moments.

    Parameters
    ----------
    learning_rate : float, default 0.001
    beta1, beta2 : float, default 0.9 and 0.999
    epsilon : float, default 1e-8
    wd : float, default 0.01
    lazy_update : bool, default True
        Skip the moments of rows that a row-sparse gradient lacks; weight decay still applies to
        these rows.
    **kwargs
        See `Optimizer`.
    """

    rule = "adamw"
    decays_all_rows = True

    def __init__(
        self,
        learning_rate: float | None = None,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-8,
        wd: float = 0.01,
        lazy_update: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate, beta1, beta2, epsilon, lazy_update, wd=wd, **kwargs)

    def step_decays(self, indices: Sequence[Any]) -> list[float]:
        """Return the factor that the rule multiplies each weight by and subtracts."""
        rates, decays = self.learning_rates(indices), self.weight_decays(indices)
        return [rate * decay for rate, decay in zip(rates, decays, strict=True)]
