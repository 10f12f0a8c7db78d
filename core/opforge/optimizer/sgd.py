"""Gradient descent: `SGD`, and `NAG` with Nesterov's momentum."""

from typing import Any

from .. import ndarray as nd
from ..ndarray import NDArray
from .base import register
from .fused import FusedOptimizer

__all__ = ["NAG", "SGD"]


@register
class SGD(FusedOptimizer):
    """Stochastic gradient descent with momentum.

    With ``g = clip(rescale_grad * grad) + wd * weight``::

        state = momentum * state - lr * g
        weight = weight + state

    Parameters
    ----------
    momentum : float, default 0.0
    lazy_update : bool, default True
        Skip rows that a row-sparse gradient lacks, including their momentum.
    learning_rate : float, default 0.01
    **kwargs
        See `Optimizer`.
    """

    rule = "sgd"
    aggregate_num = 4
    _copy_is_last = True

    def __init__(
        self,
        momentum: float = 0.0,
        lazy_update: bool = True,
        *,
        learning_rate: float | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate=learning_rate, **kwargs)
        self.momentum = momentum
        self.lazy_update = lazy_update

    def create_state(self, index: Any, weight: NDArray) -> Any:
        """Return the momentum, initially zeros; None without momentum."""
        return nd.zeros_like(weight) if self.momentum else None

    def coefficients(self) -> dict[str, float]:
        """Return the settings of the rule."""
        return {"a": max(self.momentum, 0.0)}  # as in MXNet, a negative momentum counts as 0

    def skips_rows(self, weight: Any, wd: float) -> bool:
        """Return whether rows that a row-sparse gradient lacks stay unchanged."""
        return self.lazy_update or (self.momentum == 0 and wd == 0)


@register
class NAG(SGD):
    """Stochastic gradient descent with Nesterov's momentum.

    With ``g = clip(rescale_grad * grad)``::

        ahead = momentum * state - lr * (g + wd * weight)
        weight = weight + momentum * ahead - lr * (g + wd * weight)
        state = momentum * state - lr * (g + wd * weight)

    The last line reads the new weight, like MXNet's kernel.

    Parameters
    ----------
    momentum : float, default 0.0
    lazy_update : bool, default False
        Skip the rows that a row-sparse gradient lacks, as in `SGD`. Without momentum they are
        always skipped.
    learning_rate : float, default 0.01
    **kwargs
        See `Optimizer`.
    """

    rule = "nag"
    aggregate_num = 0

    def __init__(
        self,
        momentum: float = 0.0,
        *,
        lazy_update: bool = False,
        learning_rate: float | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(momentum, lazy_update, learning_rate=learning_rate, **kwargs)

    def skips_rows(self, weight: Any, wd: float) -> bool:
        """Return whether rows that a row-sparse gradient lacks stay unchanged."""
        return self.lazy_update or self.momentum == 0
