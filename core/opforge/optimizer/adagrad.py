"""`AdaGrad` and `AdaDelta`: rates that follow the history of each weight's gradient."""

from typing import Any

from .. import ndarray as nd
from ..ndarray import NDArray
from .base import Optimizer, register
from .sgd import _default

__all__ = ["AdaDelta", "AdaGrad"]


@register
class AdaGrad(Optimizer):
    """Divide by the root of the sum of all squared gradients (Duchi et al., 2011).

    With ``g = clip(rescale_grad * grad)``::

        history += g * g
        weight -= lr * (g / sqrt(history + eps) + wd * weight)

    Parameters
    ----------
    learning_rate : float, default 0.01
    eps : float, default 1e-7
    **kwargs
        Settings of `Optimizer`.
    """

    def __init__(
        self, learning_rate: float | None = None, eps: float = 1e-7, **kwargs: Any
    ) -> None:
        super().__init__(learning_rate=_default(learning_rate, kwargs), **kwargs)
        self.float_stable_eps = eps

    def create_state(self, index: Any, weight: NDArray) -> Any:
        """Return a history of zeros."""
        return nd.zeros_like(weight)

    def update(self, index: Any, weight: NDArray, grad: NDArray, state: Any) -> None:
        """Update `weight` and its history."""
        self._update_count(index)
        lr, wd = self._get_lr(index), self._get_wd(index)
        g = self._rescaled(grad)
        state += g * g
        g /= nd.sqrt(state + self.float_stable_eps)
        if wd:
            g += weight * wd
        weight -= g * lr


@register
class AdaDelta(Optimizer):
    """Steps whose size follows the running size of earlier steps (Zeiler, 2012).

    Parameters
    ----------
    rho : float, default 0.9
        Decay of the running means.
    epsilon : float, default 1e-5
    **kwargs
        Settings of `Optimizer`; there is no learning rate in the rule.
    """

    def __init__(self, rho: float = 0.90, epsilon: float = 1e-5, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.rho = rho
        self.epsilon = epsilon

    def create_state(self, index: Any, weight: NDArray) -> Any:
        """Return the running means of g squared and of the squared step, zeros."""
        return nd.zeros_like(weight), nd.zeros_like(weight)

    def update(self, index: Any, weight: NDArray, grad: NDArray, state: Any) -> None:
        """Update `weight` and the running means."""
        self._update_count(index)
        wd = self._get_wd(index)
        g = self._rescaled(grad)
        mean_g, mean_step = state
        mean_g *= self.rho
        mean_g += g * g * (1.0 - self.rho)
        step = nd.sqrt(mean_step + self.epsilon) / nd.sqrt(mean_g + self.epsilon) * g
        mean_step *= self.rho
        mean_step += step * step * (1.0 - self.rho)
        if wd:
            step += weight * wd
        weight -= step
