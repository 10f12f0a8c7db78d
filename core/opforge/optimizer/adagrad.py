"""`AdaGrad` and `AdaDelta`: step sizes that adapt to the history of each weight's gradient."""

from typing import Any

from .. import ndarray as nd
from ..ndarray import NDArray
from .base import register
from .fused import FusedOptimizer

__all__ = ["AdaDelta", "AdaGrad"]


@register
class AdaGrad(FusedOptimizer):
    """Divide by the root of the sum of all squared gradients (Duchi et al., 2011).

    With ``g = clip(rescale_grad * grad)``::

        history += g * g
        weight -= lr * (g / sqrt(history + eps) + wd * weight)

    Parameters
    ----------
    eps : float, default 1e-7
    learning_rate : float, default 0.01
    **kwargs
        See `Optimizer`.
    """

    rule = "adagrad"

    def __init__(
        self, eps: float = 1e-7, *, learning_rate: float | None = None, **kwargs: Any
    ) -> None:
        super().__init__(learning_rate=learning_rate, **kwargs)
        self.float_stable_eps = eps

    def create_state(self, index: Any, weight: NDArray) -> Any:
        """Return the history, initially zeros."""
        return nd.zeros_like(weight)

    def coefficients(self) -> dict[str, float]:
        """Return the settings of the rule."""
        return {"epsilon": self.float_stable_eps}

    def skips_rows(self, weight: Any, wd: float) -> bool:
        """Return whether rows that a row-sparse gradient lacks stay unchanged."""
        return wd == 0  # the steps of such rows and of their history are 0


@register
class AdaDelta(FusedOptimizer):
    """Scale steps by the running size of earlier steps (Zeiler, 2012).

    Parameters
    ----------
    rho : float, default 0.9
        Decay of the running means.
    epsilon : float, default 1e-5
    **kwargs
        See `Optimizer`; the rule has no learning rate.
    """

    rule = "adadelta"

    def __init__(self, rho: float = 0.90, epsilon: float = 1e-5, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.rho = rho
        self.epsilon = epsilon

    def create_state(self, index: Any, weight: NDArray) -> Any:
        """Return the running means of g squared and of the squared step, initially zeros."""
        return nd.zeros_like(weight), nd.zeros_like(weight)

    def coefficients(self) -> dict[str, float]:
        """Return the settings of the rule."""
        return {"a": self.rho, "epsilon": self.epsilon}
