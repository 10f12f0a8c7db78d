"""`Adamax`, `Nadam` and `FTML`: step sizes that adapt to the gradients of each element."""

import math
from collections.abc import Sequence
from typing import Any

from opforge.plugin_api import F, FusedOptimizer

__all__ = ["FTML", "Adamax", "Nadam"]


class Adamax(FusedOptimizer):
    """Adam with the largest gradient instead of the second moment (Kingma and Ba, 2014, section 7).

    With ``g = clip(rescale_grad * grad + wd * weight)`` and t updates so far::

        mean = beta1 * mean + (1 - beta1) * g
        largest = max(beta2 * largest, |g|)
        weight -= lr / (1 - beta1**t) * mean / largest

    An element whose gradient has always been 0 stays unchanged; MXNet divides by 0.

    Parameters
    ----------
    learning_rate : float, default 0.002
        Overrides the `base_lr` of a scheduler, even by default, as in MXNet.
    beta1, beta2 : float, default 0.9 and 0.999
    **kwargs
        See `opforge.optimizer.Optimizer`.

    Examples
    --------
    >>> from opforge import nd, optimizer
    >>> weight, adamax = nd.array([1.0]), optimizer.Adamax(learning_rate=0.5)
    >>> adamax.update(0, weight, nd.array([3.0]), adamax.create_state(0, weight))
    >>> weight.asnumpy().tolist()
    [0.5]
    """

    rule = "adamax"

    def __init__(
        self,
        learning_rate: float | None = 0.002,
        beta1: float = 0.9,
        beta2: float = 0.999,
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate=learning_rate, **kwargs)
        self.beta1 = beta1
        self.beta2 = beta2

    def create_state(self, index: Any, weight: Any) -> Any:
        """Return the mean and the largest gradient, initially zeros."""
        return F.zeros_like(weight), F.zeros_like(weight)

    def coefficients(self) -> dict[str, float]:
        """Return the settings of the rule."""
        return {"a": self.beta1, "b": self.beta2}

    def step_rates(self, indices: Sequence[Any], weights: Any, grads: Any) -> list[float]:
        """Return the learning rates that the rule is given."""
        return [
            rate / (1.0 - self.beta1 ** self._index_update_count[index])
            for rate, index in zip(self.learning_rates(indices), indices, strict=True)
        ]


class Nadam(FusedOptimizer):
    """Adam with Nesterov's momentum (Dozat, 2016).

    With ``g = clip(rescale_grad * grad + wd * weight)`` and t updates so far::

        mu[t] = beta1 * (1 - 0.5 * 0.96**(t * schedule_decay))
        mean = beta1 * mean + (1 - beta1) * g
        var = beta2 * var + (1 - beta2) * g * g
        ahead = (1 - mu[t]) * g / (1 - prod(mu[:t])) + mu[t+1] * mean / (1 - prod(mu[:t+1]))
        weight -= lr * ahead / (sqrt(var / (1 - beta2**t)) + epsilon)

    Parameters
    ----------
    learning_rate : float, default 0.001
        Overrides the `base_lr` of a scheduler, even by default, as in MXNet.
    beta1, beta2 : float, default 0.9 and 0.999
    epsilon : float, default 1e-8
    schedule_decay : float, default 0.004
        Speed of the growth of the momentum.
    **kwargs
        See `opforge.optimizer.Optimizer`.

    Notes
    -----
    As in MXNet, all weights share one product of momenta, which each update of a weight extends.

    Examples
    --------
    >>> from opforge import nd, optimizer
    >>> weight, nadam = nd.array([1.0]), optimizer.Nadam(learning_rate=0.1)
    >>> nadam.update(0, weight, nd.array([3.0]), nadam.create_state(0, weight))
    >>> print(weight.asnumpy().round(3))
    [0.834]
    """

    rule = "nadam"

    def __init__(
        self,
        learning_rate: float | None = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-8,
        schedule_decay: float = 0.004,
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate=learning_rate, **kwargs)
        self.beta1 = beta1
        self.beta2 = beta2
        self.epsilon = epsilon
        self.schedule_decay = schedule_decay
        #: Product of the momenta of all updates.
        self.m_schedule = 1.0
        self._factors_of_step: list[tuple[float, float, float]] = []

    def create_state(self, index: Any, weight: Any) -> Any:
        """Return mean and variance, initially zeros."""
        return F.zeros_like(weight), F.zeros_like(weight)

    def coefficients(self) -> dict[str, float]:
        """Return the settings of the rule."""
        return {"a": self.beta1, "b": self.beta2, "epsilon": self.epsilon}

    def step_rates(self, indices: Sequence[Any], weights: Any, grads: Any) -> list[float]:
        """Return the learning rates that the rule is given."""
        self._factors_of_step = [
            self._next_factors(rate, self._index_update_count[index])
            for rate, index in zip(self.learning_rates(indices), indices, strict=True)
        ]
        return [of_gradient for of_gradient, _, _ in self._factors_of_step]

    def corrections(self, indices: Sequence[Any]) -> list[tuple[float, float]]:
        """Return the coefficients that depend on the number of updates."""
        return [(of_mean, of_root) for _, of_mean, of_root in self._factors_of_step]

    def _next_factors(self, rate: float, t: int) -> tuple[float, float, float]:
        """Return the factors of the gradient, its mean and the root of its variance."""
        momentum, following = (
            self.beta1 * (1.0 - 0.5 * 0.96 ** (step * self.schedule_decay)) for step in (t, t + 1)
        )
        self.m_schedule *= momentum
        return (
            rate * (1.0 - momentum) / (1.0 - self.m_schedule),
            rate * following / (1.0 - self.m_schedule * following),
            1.0 / math.sqrt(1.0 - self.beta2**t),
        )


class FTML(FusedOptimizer):
    """Follow the moving leader (Zheng and Kwok, 2017).

    With ``g = clip(rescale_grad * grad + wd * weight)`` and t updates so far::

        var = beta2 * var + (1 - beta2) * g * g
        d[t] = (1 - beta1**t) / lr * (sqrt(var / (1 - beta2**t)) + epsilon)
        z = beta1 * z + (1 - beta1) * g - (d[t] - beta1 * d[t-1]) * weight
        weight = -z / d[t]

    Parameters
    ----------
    learning_rate : float, default 0.01
        Greater than 0.
    beta1, beta2 : float, default 0.6 and 0.999
    epsilon : float, default 1e-8
    **kwargs
        See `opforge.optimizer.Optimizer`.

    Examples
    --------
    >>> from opforge import nd, optimizer
    >>> weight, ftml = nd.array([1.0]), optimizer.FTML(learning_rate=0.5)
    >>> ftml.update(0, weight, nd.array([3.0]), ftml.create_state(0, weight))
    >>> weight.asnumpy().tolist()
    [0.5]
    """

    rule = "ftml"

    def __init__(
        self, beta1: float = 0.6, beta2: float = 0.999, epsilon: float = 1e-8, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.beta1 = beta1
        self.beta2 = beta2
        self.epsilon = epsilon

    def create_state(self, index: Any, weight: Any) -> Any:
        """Return d, the variance and z, initially zeros."""
        return tuple(F.zeros_like(weight) for _ in range(3))

    def coefficients(self) -> dict[str, float]:
        """Return the settings of the rule."""
        return {"a": self.beta1, "b": self.beta2, "epsilon": self.epsilon}

    def corrections(self, indices: Sequence[Any]) -> list[tuple[float, float]]:
        """Return the coefficients that depend on the number of updates."""
        return [
            ftml_corrections(self.beta1, self.beta2, self._index_update_count[index], rate)
            for rate, index in zip(self.learning_rates(indices), indices, strict=True)
        ]


def ftml_corrections(beta1: float, beta2: float, t: int, rate: float) -> tuple[float, float]:
    """Return the coefficients c and d of the rule "ftml"."""
    return (1.0 - beta1**t) / rate if rate else math.inf, 1.0 / (1.0 - beta2**t)
