"""Gradient descent: `SGD`, and `NAG` with Nesterov's momentum."""

from typing import Any

from .. import ndarray as nd
from ..ndarray import NDArray
from .base import Optimizer, register

__all__ = ["NAG", "SGD"]


@register
class SGD(Optimizer):
    """Stochastic gradient descent with momentum.

    With ``g = clip(rescale_grad * grad) + wd * weight``::

        state = momentum * state - lr * g
        weight = weight + state

    Parameters
    ----------
    learning_rate : float, default 0.01
    momentum : float, default 0.0
    lazy_update : bool, default False
        For sparse gradients; accepted and without effect.
    **kwargs
        Settings of `Optimizer`.
    """

    def __init__(
        self,
        learning_rate: float | None = None,
        momentum: float = 0.0,
        lazy_update: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate=_default(learning_rate, kwargs), **kwargs)
        self.momentum = momentum
        self.lazy_update = lazy_update

    def create_state(self, index: Any, weight: NDArray) -> Any:
        """Return a momentum of zeros, or None without momentum."""
        return nd.zeros_like(weight) if self.momentum else None

    def update(self, index: Any, weight: NDArray, grad: NDArray, state: Any) -> None:
        """Update `weight` and its momentum."""
        self._update_count(index)
        lr, wd = self._get_lr(index), self._get_wd(index)
        step = self._scaled_step(weight, grad, lr, wd)
        if state is None:
            weight -= step
        else:
            state *= self.momentum
            state -= step
            weight += state

    def _scaled_step(self, weight: NDArray, grad: NDArray, lr: float, wd: float) -> Any:
        """Return ``lr * (clip(rescale_grad * grad) + wd * weight)``, in few passes."""
        if self.clip_gradient is not None and self.clip_gradient > 0:
            step: Any = self._rescaled(grad)
            step *= lr
        else:
            step = grad * (lr * self.rescale_grad)
        if wd:
            step += weight * (lr * wd)
        return step


@register
class NAG(SGD):
    """Stochastic gradient descent with Nesterov's momentum.

    With ``g = clip(rescale_grad * grad) + wd * weight``::

        state = momentum * state - lr * g
        weight = weight + momentum * state - lr * g

    Parameters
    ----------
    learning_rate : float, default 0.01
    momentum : float, default 0.0
    **kwargs
        Settings of `Optimizer`.
    """

    def update(self, index: Any, weight: NDArray, grad: NDArray, state: Any) -> None:
        """Update `weight` and its momentum."""
        self._update_count(index)
        lr, wd = self._get_lr(index), self._get_wd(index)
        step = self._scaled_step(weight, grad, lr, wd)
        if state is not None:
            state *= self.momentum
            state -= step
            weight += state * self.momentum
        weight -= step


def _default(
    learning_rate: float | None, kwargs: dict[str, Any], default: float = 0.01
) -> float | None:
    """Return the learning rate, `default` where neither it nor a scheduler was given."""
    if learning_rate is None and kwargs.get("lr_scheduler") is None:
        return default
    return learning_rate
