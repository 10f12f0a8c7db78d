"""`LAMB`, `LANS` and `LARS`: step sizes that adapt to the norms of each layer."""

import math
from collections.abc import Iterable, Sequence
from typing import Any

from opforge.plugin_api import F, FusedOptimizer, kernels

__all__ = ["LAMB", "LANS", "LARS"]


def norm(array: Any) -> float:
    """Return the 2-norm of all elements, summed in float64.

    Examples
    --------
    >>> from opforge import nd
    >>> norm(nd.array([3.0, 4.0]))
    5.0
    """
    total = F.zeros((1,), array.context, "float64")
    kernels.reduce("norm", array, total)
    return float(total.asscalar())


def trust_ratio(
    weight_norm: float, step_norm: float, lower: float | None, upper: float | None
) -> float:
    """Return the quotient of the norms; 1 if one of them is 0.

    Parameters
    ----------
    weight_norm, step_norm : float
    lower, upper : float or None
        Bounds of the first norm.
    """
    if lower is not None:
        weight_norm = max(weight_norm, lower)
    if upper is not None:
        weight_norm = min(weight_norm, upper)
    return weight_norm / step_norm if weight_norm and step_norm else 1.0


def scaled_rates(
    rates: Iterable[float],
    weights: Iterable[Any],
    steps: Iterable[Any],
    lower: float | None,
    upper: float | None,
) -> list[float]:
    """Return the learning rates times the quotients of the norms of weights and steps.

    Parameters
    ----------
    rates : iterable of float
    weights, steps : iterable of NDArray
    lower, upper : float or None
        Bounds of the norms of weights.
    """
    return [
        rate * trust_ratio(norm(weight), norm(step), lower, upper)
        for rate, weight, step in zip(rates, weights, steps, strict=True)
    ]


def bias_corrections(beta1: float, beta2: float, t: int) -> tuple[float, float]:
    """Return the factors that correct the bias of the moments after `t` updates."""
    return 1.0 / (1.0 - beta1**t), 1.0 / (1.0 - beta2**t)


class LAMB(FusedOptimizer):
    """Adam with a step size that is proportional to the norm of each weight (You et al., 2020).

    With ``g = clip(rescale_grad * grad)`` and t updates so far::

        mean = beta1 * mean + (1 - beta1) * g
        var = beta2 * var + (1 - beta2) * g * g
        step = mean / (1 - beta1**t) / (sqrt(var / (1 - beta2**t)) + epsilon) + wd * weight
        weight -= lr * |weight| / |step| * step

    Parameters
    ----------
    learning_rate : float, default 0.001
        Overrides the `base_lr` of a scheduler, even by default, as in MXNet.
    beta1, beta2 : float, default 0.9 and 0.999
    epsilon : float, default 1e-6
    lower_bound, upper_bound : float, optional
        Bounds of the norm of a weight.
    bias_correction : bool, default True
        Whether to divide the moments by ``1 - beta**t``.
    **kwargs
        See `opforge.optimizer.Optimizer`.

    Examples
    --------
    >>> from opforge import nd, optimizer
    >>> weight, lamb = nd.array([3.0, 4.0]), optimizer.LAMB(learning_rate=0.1)
    >>> lamb.update(0, weight, nd.array([1.0, 1.0]), lamb.create_state(0, weight))
    >>> print(weight.asnumpy().round(3))
    [2.646 3.646]
    """

    rule = "lamb_direction"
    aggregate_num = 45

    def __init__(
        self,
        learning_rate: float | None = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-6,
        lower_bound: float | None = None,
        upper_bound: float | None = None,
        bias_correction: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate=learning_rate, **kwargs)
        self.beta1 = beta1
        self.beta2 = beta2
        self.epsilon = epsilon
        self.lower_bound = lower_bound
        self.upper_bound = upper_bound
        self.bias_correction = bias_correction

    def create_state(self, index: Any, weight: Any) -> Any:
        """Return mean and variance, initially zeros."""
        return F.zeros_like(weight), F.zeros_like(weight)

    def coefficients(self) -> dict[str, float]:
        """Return the settings of the rule."""
        return {"a": self.beta1, "b": self.beta2, "epsilon": self.epsilon}

    def corrections(self, indices: Sequence[Any]) -> list[tuple[float, float]]:
        """Return the factors that correct the bias of the moments."""
        if not self.bias_correction:
            return [(1.0, 1.0)] * len(indices)
        counts = self._index_update_count
        return [bias_corrections(self.beta1, self.beta2, counts[index]) for index in indices]

    def run_rule(
        self,
        rule: str,
        weights: Any,
        grads: Any,
        states: Any,
        rates: list[float],
        decays: list[float],
        rounded: Any = None,
        **settings: Any,
    ) -> None:
        """Compute the directions of all steps, then the steps.

        Parameters
        ----------
        rule, weights, grads, states, rates, decays, rounded, **settings
            As for `plugin_api.kernels.update_weights`.
        """
        steps = [F.empty(weight.shape, weight.context, weight.dtype) for weight in weights]
        kernels.update_weights(rule, weights, grads, states, rates, decays, outs=steps, **settings)
        scaled, nothing = scaled_rates(rates, weights, steps, *self._bounds()), [None] * len(steps)
        kernels.update_weights(
            "sgd", weights, steps, nothing, scaled, [0.0] * len(steps), rounded=rounded
        )

    def _bounds(self) -> tuple[float | None, float | None]:
        """Return the bounds of norms; as in MXNet, bounds of 0 are none."""
        return self.lower_bound or None, self.upper_bound or None


class LANS(LAMB):
    """LAMB with normalized gradients and Nesterov's momentum (Zheng et al., 2020).

    With ``g = clip(rescale_grad * grad / |rescale_grad * grad|)``, the moments of `LAMB`, and
    ``root = sqrt(var / (1 - beta2**t)) + epsilon``::

        ahead = mean / (1 - beta1**t) / root + wd * weight
        now = g / root + wd * weight
        weight -= lr * |weight| * (beta1 * ahead / |ahead| + (1 - beta1) * now / |now|)

    Parameters
    ----------
    learning_rate : float, default 0.001
    beta1, beta2 : float, default 0.9 and 0.999
    epsilon : float, default 1e-6
    lower_bound, upper_bound : float, optional
        Bounds of the norm of a weight.
    **kwargs
        See `opforge.optimizer.Optimizer`.

    Examples
    --------
    >>> from opforge import nd, optimizer
    >>> weight, lans = nd.array([3.0, 4.0]), optimizer.LANS(learning_rate=0.1)
    >>> lans.update(0, weight, nd.array([2.0, 2.0]), lans.create_state(0, weight))
    >>> print(weight.asnumpy().round(3))
    [2.646 3.646]
    """

    def __init__(
        self,
        learning_rate: float | None = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-6,
        lower_bound: float | None = None,
        upper_bound: float | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate, beta1, beta2, epsilon, lower_bound, upper_bound, **kwargs)

    def run_rule(
        self,
        rule: str,
        weights: Any,
        grads: Any,
        states: Any,
        rates: list[float],
        decays: list[float],
        rounded: Any = None,
        **settings: Any,
    ) -> None:
        """Compute the steps, one weight after the other.

        Parameters
        ----------
        rule, weights, grads, states, rates, decays, rounded, **settings
            As for `plugin_api.kernels.update_weights`.
        """
        corrections = settings.pop("corrections")
        for i, (weight, grad) in enumerate(zip(weights, grads, strict=True)):
            size = norm(grad)
            settings["rescale"] = math.copysign(1.0 / size, self.rescale_grad) if size else 0.0
            ahead = F.empty(weight.shape, weight.context, weight.dtype)
            kernels.update_weights(
                rule,
                [weight],
                [grad],
                [states[i]],
                [0.0],
                [decays[i]],
                outs=[ahead],
                corrections=[corrections[i]],
                **settings,
            )
            root = (states[i][1] * corrections[i][1]).sqrt() + self.epsilon
            slope = grad.astype(weight.dtype) * settings["rescale"]
            if settings["clip"] > 0:
                slope = F.clip(slope, -settings["clip"], settings["clip"])
            now, size = slope / root + decays[i] * weight, norm(weight)
            bounds = self._bounds()
            step = self.beta1 * trust_ratio(size, norm(ahead), *bounds) * ahead
            step += (1.0 - self.beta1) * trust_ratio(size, norm(now), *bounds) * now
            last = None if rounded is None else [rounded[i]]
            kernels.update_weights("sgd", [weight], [step], [None], [rates[i]], [0.0], rounded=last)


#: Endings of the names of parameters whose rates LARS does not adapt.
_NOT_ADAPTED = ("gamma", "beta", "bias")


class LARS(FusedOptimizer):
    """Gradient descent with a step size that depends on the norms of each layer (You et al., 2017).

    The learning rate of a weight is multiplied by::

        eta * |weight| / (|rescale_grad * grad| + wd * |weight| + eps)

    or by 1 if one of the norms is 0, or if its name ends with ``gamma``, ``beta`` or ``bias``. The
    update is that of `opforge.optimizer.SGD`. With `param_idx2name`, weights whose name does not
    end with ``_weight`` have no weight decay.

    Parameters
    ----------
    momentum : float, default 0.0
    lazy_update : bool, default True
        Skip the rows that a row-sparse gradient lacks.
    eta : float, default 0.001
    eps : float, default 0.0
    momentum_correction : bool, default True
        Multiply the momentum by the quotient of the learning rates of this step and the last one.
    **kwargs
        See `opforge.optimizer.Optimizer`.

    Examples
    --------
    >>> from opforge import nd, optimizer
    >>> weight, lars = nd.array([3.0, 4.0]), optimizer.LARS(learning_rate=1.0, eta=0.1)
    >>> lars.update(0, weight, nd.array([0.0, 10.0]), None)
    >>> weight.asnumpy().tolist()
    [3.0, 3.5]
    """

    rule = "sgd"
    aggregate_num = 4
    _copy_is_last = True

    def __init__(
        self,
        momentum: float = 0.0,
        lazy_update: bool = True,
        eta: float = 0.001,
        eps: float = 0.0,
        momentum_correction: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.momentum = momentum
        self.lazy_update = lazy_update
        self.eta = eta
        self.eps = eps
        self.momentum_correction = momentum_correction
        #: Number and learning rate of this step, and the learning rate of the step before.
        self._last_step: tuple[int, float, float] | None = None

    def set_wd_mult(self, args_wd_mult: Any) -> None:
        """Replace the weight-decay multipliers, by index or name; see the class."""
        super().set_wd_mult(args_wd_mult)
        gammas = (n for n in self.idx2name.values() if n.endswith("_gamma"))
        self.wd_mult = dict.fromkeys(gammas, 0.0) | self.wd_mult

    def create_state(self, index: Any, weight: Any) -> Any:
        """Return the momentum, initially zeros; None without momentum."""
        return F.zeros_like(weight) if self.momentum else None

    def coefficients(self) -> dict[str, float]:
        """Return the settings of the rule."""
        assert self._last_step is not None
        _, rate, before = self._last_step
        factor = rate / before if self.momentum_correction and before else 1.0
        return {"a": max(self.momentum, 0.0) * factor}

    def step_rates(self, indices: Sequence[Any], weights: Any, grads: Any) -> list[float]:
        """Return the learning rates that the rule is given."""
        self._note_rate(float(self.learning_rate))
        rates, decays = self.learning_rates(indices), self.weight_decays(indices)
        each = zip(indices, weights, grads, decays, strict=True)
        factors = [self._factor_by_norm(*one) for one in each]
        return [rate * factor for rate, factor in zip(rates, factors, strict=True)]

    def _note_rate(self, rate: float) -> None:
        """Store the learning rate of this step, whose weights may come in several calls."""
        if self._last_step is None:
            self._last_step = self.num_update, rate, rate
        elif self._last_step[0] != self.num_update:
            self._last_step = self.num_update, rate, self._last_step[1]

    def _factor_by_norm(self, index: Any, weight: Any, grad: Any, wd: float) -> float:
        if self.idx2name.get(index, str(index)).endswith(_NOT_ADAPTED):
            return 1.0
        size, slope = norm(weight), abs(self.rescale_grad) * norm(grad.tostype("default"))
        return self.eta * size / (slope + wd * size + self.eps) if size and slope else 1.0
