"""`SGLD`, `DCASGD` and `ccSGD`: relatives of gradient descent."""

import math
from typing import Any

from opforge.plugin_api import F, Optimizer
from opforge.plugin_api import optimizer as core

__all__ = ["DCASGD", "SGLD", "ccSGD"]


class SGLD(Optimizer):
    """Sample weights by gradient descent with noise (Welling and Teh, 2011).

    With ``g = clip(rescale_grad * grad)``::

        weight += -lr / 2 * (g + wd * weight) + normal(0, sqrt(lr))

    Parameters
    ----------
    **kwargs
        See `opforge.optimizer.Optimizer`.

    Examples
    --------
    >>> from opforge import nd, optimizer, random
    >>> random.seed(1)
    >>> weight, sgld = nd.zeros(10000), optimizer.SGLD(learning_rate=0.25)
    >>> sgld.update(0, weight, nd.ones(10000), None)
    >>> print(weight.mean().asscalar().round(2), weight.asnumpy().std().round(2))
    -0.12 0.5
    """

    def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        """Update `weight` in place."""
        self._update_count(index)
        rate = self._get_lr(index)
        slope = _clip(self, grad) + self._get_wd(index) * weight
        noise = F.random.normal(
            0, math.sqrt(rate), weight.shape, dtype=weight.dtype, ctx=weight.context
        )
        weight += noise - rate / 2 * slope


class DCASGD(Optimizer):
    """Gradient descent for gradients of older weights (Zheng et al., 2017).

    With ``g = clip(rescale_grad * grad)``, and `before` the weight before the last update::

        state = momentum * state - lr * (g + wd * weight + lamda * g * g * (weight - before))
        weight += state

    Parameters
    ----------
    momentum : float, default 0.0
    lamda : float, default 0.04
        Strength of the compensation.
    **kwargs
        See `opforge.optimizer.Optimizer`.

    Examples
    --------
    >>> from opforge import nd, optimizer
    >>> weight, dcasgd = nd.array([1.0]), optimizer.DCASGD(learning_rate=0.5, lamda=0.25)
    >>> state = dcasgd.create_state(0, weight)
    >>> for _ in range(2):
    ...     dcasgd.update(0, weight, nd.array([2.0]), state)
    ...     print(weight.asscalar())
    0.0
    -0.5
    """

    def __init__(self, momentum: float = 0.0, lamda: float = 0.04, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.momentum = momentum
        self.lamda = lamda

    def create_state(self, index: Any, weight: Any) -> Any:
        """Return the momentum (None without one), initially zeros, and a copy of the weight."""
        return F.zeros_like(weight) if self.momentum else None, weight.copy()

    def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        """Update `weight` and `state` in place."""
        self._update_count(index)
        momentum, before = state
        slope = _clip(self, grad)
        compensation = self.lamda * slope * slope * (weight - before)
        step = -self._get_lr(index) * (slope + self._get_wd(index) * weight + compensation)
        if momentum is not None:
            momentum[:] = step = self.momentum * momentum + step
        before[:] = weight
        weight += step


class ccSGD(core.SGD):
    """`opforge.optimizer.SGD` by its name of MXNet 0.x.

    Parameters
    ----------
    **kwargs
        See `opforge.optimizer.SGD`.

    Examples
    --------
    >>> from opforge import optimizer
    >>> optimizer.create("ccsgd", learning_rate=0.5).learning_rate
    0.5
    """


def _clip(optimizer: Optimizer, grad: Any) -> Any:
    """Return the rescaled and clipped gradient as a dense array."""
    grad, limit = grad.tostype("default") * optimizer.rescale_grad, optimizer.clip_gradient
    return F.clip(grad, -limit, limit) if limit is not None and limit > 0 else grad
