"""`FusedOptimizer`: an update rule in one native kernel, for all weights in one call."""

from collections.abc import Sequence
from typing import Any

from ..base.context import HOST_TYPES
from ..base.dtypes import is_half
from ..native import calls
from ..native.array import StoredArray
from ..ndarray import NDArray
from .base import Arrays, Optimizer
from .row_sparse import GatheredRows, dense_weight, is_row_sparse
from .staging import DenseCopies, Staged

__all__ = ["FusedOptimizer"]

_DENSE = frozenset({NDArray})


class FusedOptimizer(Optimizer):
    """Base of optimizers with a native update rule; a subclass may still override `update`.

    A subclass sets `rule` and returns the rule's settings, other than rates, from `coefficients`.

    Parameters
    ----------
    **kwargs
        See `Optimizer`.

    Examples
    --------
    >>> from opforge import nd, optimizer
    >>> class SignDescent(FusedOptimizer):
    ...     rule = "signsgd"
    >>> weight = nd.array([1.0, 1.0])
    >>> SignDescent(learning_rate=0.5).update(0, weight, nd.array([3.0, -0.1]), None)
    >>> weight.asnumpy().tolist()
    [0.5, 1.5]
    """

    #: Name of the rule in `plugin_api.kernels.update_weights`.
    rule: str
    #: Whether weight decay is a factor of the weight, so that it also applies to rows that a
    #: row-sparse gradient lacks.
    decays_all_rows: bool = False
    #: None, or a method ``step_decays(self, indices)`` that returns the weight decays that the rule
    #: is given.
    step_decays: Any = None
    #: Function that runs the rule; a method of a subclass may combine several rules.
    run_rule: Any = staticmethod(calls.update_weights)
    #: None, or a method ``corrections(self, indices)`` that returns the coefficients c and d of the
    #: rule, which depend on the number of updates; it is called after these were counted.
    corrections: Any = None

    @property
    def keeps_gradients(self) -> bool:
        """True unless a subclass overrides the update, which may then change gradients."""
        kind = type(self)
        return (
            kind.update is FusedOptimizer.update
            and kind.update_multi_precision is FusedOptimizer.update_multi_precision
        )

    def coefficients(self) -> dict[str, float]:
        """Return the rule's settings as arguments of `plugin_api.kernels.update_weights`."""
        return {}

    def step_rates(self, indices: Sequence[Any], weights: Arrays, grads: Arrays) -> list[float]:
        """Return the learning rates of this step; called after the update has been counted.

        Parameters
        ----------
        indices : list of int or str
            The updated weights.
        weights, grads : list of NDArray
            Gradients may be sparse.
        """
        found: list[float] = self.learning_rates(indices)
        return found

    def update(self, index: Any, weight: NDArray, grad: NDArray, state: Any) -> None:
        """Update `weight` and `state` in place; lists of arguments update several weights."""
        if isinstance(index, (list, tuple)):
            self._step(index, weight, grad, state, None)
        else:
            self._step([index], [weight], [grad], [state], None)

    def update_multi_precision(
        self, index: Any, weight: NDArray, grad: NDArray, state: Any
    ) -> None:
        """Update `weight`, through its float32 copy if the state has one; see `update`."""
        if isinstance(index, (list, tuple)):
            self.update_weights(index, weight, grad, state)  # type: ignore[arg-type]
        elif not self.keeps_gradients or (self.multi_precision and is_half(weight.dtype_code)):
            super().update_multi_precision(index, weight, grad, state)
        else:  # `skips_rows` gets the weight itself, not its dense form
            self.update(index, weight, grad, state)

    def update_weights(
        self, indices: Sequence[Any], weights: Arrays, grads: Arrays, states: Sequence[Any]
    ) -> None:
        """Update all weights in one native call, unless a subclass overrides `update`."""
        if not self.keeps_gradients:
            super().update_weights(indices, weights, grads, states)
            return
        if not (self.multi_precision and any(is_half(w.dtype_code) for w in weights)):
            self._step(indices, weights, grads, states, None)
            return
        masters, inner = list(weights), list(states)
        rounded: list[NDArray | None] = [None] * len(weights)
        for i, weight in enumerate(weights):
            if is_half(weight.dtype_code):
                masters[i], inner[i] = self._in_order(*states[i])
                rounded[i] = dense_weight(weight)
        self._step(indices, masters, grads, inner, rounded)

    def _step(
        self, indices: Any, weights: Any, grads: Any, states: Any, rounded: list[Any] | None
    ) -> None:
        self._update_count(indices)
        if self.step_decays is None:
            decays = self.weight_decays(indices)
        else:
            decays = self.step_decays(indices)
        given, converted = weights, None
        if not _DENSE.issuperset(map(type, weights)):
            weights = [dense_weight(weight) for weight in weights]
            converted = DenseCopies()
            weights, states, rounded = converted.copies([weights, list(states), rounded])
        rates = self.step_rates(indices, weights, grads)
        gathered: list[GatheredRows] = []
        if not _DENSE.issuperset(map(type, grads)):
            weights, grads, states, gathered = self._gather_rows(
                given, weights, grads, states, rounded, decays
            )
        staged = (
            Staged() if weights and weights[0].context.device_typeid not in HOST_TYPES else None
        )
        if staged is not None:
            weights, states, rounded = staged.copies([list(weights), list(states), rounded])
            grads = Staged().copies(list(grads))
        clip = self.clip_gradient
        coefficients: dict[str, Any] = self.coefficients()
        if self.corrections is not None:
            coefficients["corrections"] = self.corrections(indices)
        self.run_rule(
            self.rule,
            weights,
            grads,
            states,
            rates,
            decays,
            rescale=self.rescale_grad,
            clip=clip if clip is not None and clip > 0 else -1.0,
            rounded=rounded,
            **coefficients,
        )
        if staged is not None:
            staged.write_back()
        for rows in gathered:
            rows.write_back()
        if converted is not None:
            converted.write_back()

    def _gather_rows(
        self,
        given: Any,
        weights: Any,
        grads: Any,
        states: Any,
        rounded: list[Any] | None,
        decays: list[float],
    ) -> tuple[list[Any], list[Any], list[Any], list[GatheredRows]]:
        """Replace weights and states by their rows if the gradient is row-sparse."""
        weights, grads, states, gathered = list(weights), list(grads), list(states), []
        for i, grad in enumerate(grads):
            if not isinstance(grad, StoredArray):
                continue
            has_no_copy = rounded is None or rounded[i] is None
            may_skip = has_no_copy and is_row_sparse(grad) and given[i].stype != "csr"
            if may_skip and self.skips_rows(given[i], decays[i]):
                if self.decays_all_rows and decays[i]:
                    weights[i] *= 1.0 - decays[i]
                    decays[i] = 0.0
                rows = GatheredRows(weights[i], grad, states[i])
                weights[i], grads[i], states[i] = rows.weight, rows.grad, rows.state
                gathered.append(rows)
            else:
                grads[i] = grad.tostype("default")
        return weights, grads, states, gathered

    def skips_rows(self, weight: Any, wd: float) -> bool:
        """Return whether rows that a row-sparse gradient lacks stay unchanged.

        Parameters
        ----------
        weight : NDArray
            May be row-sparse.
        wd : float
            Its weight decay.
        """
        return bool(getattr(self, "lazy_update", False))
