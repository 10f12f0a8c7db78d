"""`DistributedOptimizer`: an optimizer that updates with the gradients of all ranks."""

import copy
from collections.abc import Sequence
from typing import Any

from opforge.plugin_api import Optimizer

from ..collectives.arrays import view_of
from ..collectives.buckets import Buckets
from ..collectives.session import world

__all__ = ["DistributedOptimizer"]


class DistributedOptimizer(Optimizer):
    """Update weights with the mean of all ranks' gradients, for `Module` and custom update loops.

    ``module.fit(optimizer=DistributedOptimizer(optimizer), kvstore=None)`` trains on all ranks,
    which must start with the same parameters (`broadcast_parameters`). Gradients are not modified.
    For Gluon networks use `DistributedTrainer`, which sums gradients during the backward pass.

    Parameters
    ----------
    optimizer : Optimizer
        Optimizer to wrap. Attributes are shared with it, and its `rescale_grad` is divided by the
        number of ranks.

    Raises
    ------
    DistributedError
        Gradients differ between ranks in number, shape or type.

    Examples
    --------
    >>> from opforge import nd, optimizer
    >>> sgd = DistributedOptimizer(optimizer.SGD(learning_rate=0.5))
    >>> weight = nd.ones(2)
    >>> optimizer.get_updater(sgd)(0, nd.ones(2), weight)
    >>> weight.asnumpy().tolist()
    [0.5, 0.5]
    """

    def __init__(self, optimizer: Optimizer) -> None:
        # Before all other attributes, which are stored in the optimizer: see `__setattr__`.
        vars(self).update(_optimizer=optimizer, _world=world(), _buckets={})
        optimizer.rescale_grad /= self._world.size

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or "_optimizer" not in vars(self):
            raise AttributeError(name)
        return getattr(self._optimizer, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._optimizer, name, value)

    def __reduce__(self) -> Any:
        """Pickle the wrapped optimizer, and wrap it again on loading."""
        return _wrap_loaded, (self._optimizer, self._world.size)

    def to_save(self) -> Optimizer:
        """Return a copy of the wrapped optimizer, with its original `rescale_grad`."""
        wrapped: Optimizer = copy.copy(self._optimizer)
        wrapped.rescale_grad *= self._world.size
        return wrapped

    def of_saved(self, optimizer: Optimizer) -> "DistributedOptimizer":
        """Wrap an optimizer that was loaded."""
        return DistributedOptimizer(optimizer)

    @property
    def keeps_gradients(self) -> bool:
        """Always True: updates read the sums and leave the gradients unchanged."""
        return True

    @property
    def learning_rate(self) -> Any:
        """Current learning rate, without multipliers."""
        return self._optimizer.learning_rate

    def set_learning_rate(self, lr: float) -> None:
        """Set the learning rate."""
        self._optimizer.set_learning_rate(lr)

    def create_state(self, index: Any, weight: Any) -> Any:
        """Return the state of one weight."""
        return self._optimizer.create_state(index, weight)

    def create_state_multi_precision(self, index: Any, weight: Any) -> Any:
        """Return the state of one weight, with a float32 copy if `multi_precision` asks for one."""
        return self._optimizer.create_state_multi_precision(index, weight)

    def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        """Update a weight with the gradients of all ranks."""
        [total] = self._sums([index], [grad])
        self._optimizer.update(index, weight, total, state)

    def update_multi_precision(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        """Update a weight with the gradients of all ranks, through its float32 copy."""
        [total] = self._sums([index], [grad])
        self._optimizer.update_multi_precision(index, weight, total, state)

    def update_weights(
        self,
        indices: Sequence[Any],
        weights: Sequence[Any],
        grads: Sequence[Any],
        states: Sequence[Any],
    ) -> None:
        """Update several weights, whose gradients are summed together."""
        totals = self._sums(indices, grads)
        self._optimizer.update_weights(indices, weights, totals, states)

    def unwrapped(self) -> Optimizer:
        """Return the wrapped optimizer, with its original `rescale_grad`."""
        self._optimizer.rescale_grad *= self._world.size
        wrapped: Optimizer = self._optimizer
        return wrapped

    def _sums(self, indices: Sequence[Any], grads: Sequence[Any]) -> list[Any]:
        if self._world.size == 1:
            return list(grads)
        dense = [grad.tostype("default") for grad in grads]  # no copy if it is dense
        views = [view_of(grad) for grad in dense]
        signature = tuple(
            (i, g.shape, v.dtype) for i, g, v in zip(indices, dense, views, strict=True)
        )
        if signature not in self._buckets:
            names = [self._optimizer.idx2name.get(index, index) for index in indices]
            self._buckets[signature] = Buckets(self._world, names, dense)
        totals: list[Any] = self._buckets[signature].sum(views)
        return totals


def _wrap_loaded(optimizer: Optimizer, size: int) -> DistributedOptimizer:
    """Wrap an optimizer that was pickled on `size` ranks."""
    optimizer.rescale_grad *= size
    return DistributedOptimizer(optimizer)
