"""`FusedOptimizer`: an update rule that is one native kernel, for all weights in one call."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from ..native import calls
from ..native.array import StoredArray
from ..ndarray import NDArray
from .base import Optimizer
from .rows import Rows, is_row_sparse, table

__all__ = ["FusedOptimizer"]

_DENSE = frozenset({NDArray})


class FusedOptimizer(Optimizer):
    """Base of the optimizers whose rule is native; a subclass may still define `update` anew.

    A subclass names its `rule` and returns what it has beside rates in `_coefficients`.
    """

    #: Name of the rule in `native.calls.update`.
    rule: ClassVar[str]
    #: None, or a method ``_decay(self, indices, weights)`` that decays the weights before the rule,
    #: which then adds nothing to gradients; the update has been counted.
    _decay: Any = None

    @property
    def keeps_gradients(self) -> bool:
        """True unless a subclass has an update of its own, which may change gradients."""
        kind = type(self)
        return (
            kind.update is FusedOptimizer.update
            and kind.update_multi_precision is Optimizer.update_multi_precision
        )

    def _coefficients(self) -> dict[str, float]:
        """Return the rule's own settings as arguments of `native.calls.update.update_weights`."""
        return {}

    def _step_rates(self, indices: Sequence[Any]) -> list[float]:
        """Return the learning rates of this step, after the update has been counted."""
        return self._get_lrs(indices)

    def update(self, index: Any, weight: NDArray, grad: NDArray, state: Any) -> None:
        """Update `weight` and `state` in place."""
        self._step([index], [table(weight)], [grad], [state], None)

    def update_weights(
        self,
        indices: Sequence[Any],
        weights: Sequence[NDArray],
        grads: Sequence[NDArray],
        states: Sequence[Any],
    ) -> None:
        """Update all weights in one native call, unless a subclass has an `update` of its own."""
        if not self.keeps_gradients:
            super().update_weights(indices, weights, grads, states)
            return
        if not _DENSE.issuperset(map(type, weights)):
            weights = [table(weight) for weight in weights]
        if not (self.multi_precision and any(w.dtype == np.float16 for w in weights)):
            self._step(indices, weights, grads, states, None)
            return
        masters, inner = list(weights), list(states)
        rounded: list[NDArray | None] = [None] * len(weights)
        for i, weight in enumerate(weights):
            if weight.dtype == np.float16:
                masters[i], inner[i] = self._in_order(*states[i])
                rounded[i] = weight
        self._step(indices, masters, grads, inner, rounded)

    def _step(
        self, indices: Any, weights: Any, grads: Any, states: Any, rounded: list[Any] | None
    ) -> None:
        self._update_count(indices)
        if self._decay is None:
            decays = self._get_wds(indices)
        else:
            self._decay(indices, weights)
            decays = [0.0] * len(indices)
        parts: list[Rows] = []
        if not _DENSE.issuperset(map(type, grads)):
            weights, grads, states, parts = self._on_rows(indices, weights, grads, states, rounded)
        clip = self.clip_gradient
        calls.update_weights(
            self.rule,
            weights,
            grads,
            states,
            self._step_rates(indices),
            decays,
            self.rescale_grad,
            clip if clip is not None and clip > 0 else -1.0,
            rounded=rounded,
            **self._coefficients(),
        )
        for rows in parts:
            rows.write_back()

    def _on_rows(
        self, indices: Any, weights: Any, grads: Any, states: Any, rounded: list[Any] | None
    ) -> tuple[list[Any], list[Any], list[Any], list[Rows]]:
        """Return weights, gradients and states, rows of them where gradients have rows alone."""
        weights, grads, states, parts = list(weights), list(grads), list(states), []
        decays = self._get_wds(indices)
        for i, grad in enumerate(grads):
            if not isinstance(grad, StoredArray):
                continue
            is_whole = rounded is None or rounded[i] is None
            if is_whole and is_row_sparse(grad) and self._skips_rows(decays[i]):
                rows = Rows(weights[i], grad, states[i])
                weights[i], grads[i], states[i] = rows.weight, rows.grad, rows.state
                parts.append(rows)
            else:
                grads[i] = grad.tostype("default")
        return weights, grads, states, parts

    def _skips_rows(self, wd: float) -> bool:
        """Tell whether rows that a row-sparse gradient does not have stay as they are."""
        return bool(getattr(self, "lazy_update", False))
