"""`DistributedOptimizer`: an optimizer whose updates are those of all ranks together."""

from collections.abc import Sequence
from typing import Any

from opforge.plugin_api import Optimizer

from .arrays import view_of
from .buckets import Buckets
from .running import world

__all__ = ["DistributedOptimizer"]


class DistributedOptimizer(Optimizer):
    """Updates weights from the mean of all ranks' gradients, for `Module` and loops of updates.

    ``module.fit(optimizer=DistributedOptimizer(optimizer), kvstore=None)`` trains on all ranks,
    which must begin with the same parameters (`broadcast_parameters`). Gradients stay each rank's
    own. For a network of Gluon take `DistributedTrainer`: it sums while backward goes on.

    Parameters
    ----------
    optimizer : Optimizer
        What updates. Its settings are this one's: it divides by the number of ranks from now on.

    Raises
    ------
    DistributedError
        Gradients of ranks differ in number, shape or type.

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
        # Before all other attributes, which are the optimizer's: see `__setattr__`.
        vars(self).update(_optimizer=optimizer, _world=world(), _buckets={})
        optimizer.rescale_grad /= self._world.size

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or "_optimizer" not in vars(self):
            raise AttributeError(name)
        return getattr(self._optimizer, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._optimizer, name, value)

    def __reduce__(self) -> Any:
        """Be written to a file as the optimizer is, and be made anew of it."""
        return _made_of, (self._optimizer, self._world.size)

    @property
    def keeps_gradients(self) -> bool:
        """True if an update leaves the gradients unchanged: it reads their sums."""
        return True

    @property
    def learning_rate(self) -> Any:
        """The current learning rate, without multipliers."""
        return self._optimizer.learning_rate

    def set_learning_rate(self, lr: float) -> None:
        """Set the learning rate."""
        self._optimizer.set_learning_rate(lr)

    def create_state(self, index: Any, weight: Any) -> Any:
        """Return the state of one weight."""
        return self._optimizer.create_state(index, weight)

    def create_state_multi_precision(self, index: Any, weight: Any) -> Any:
        """Return the state of one weight, with a float32 copy of a float16 one where asked for."""
        return self._optimizer.create_state_multi_precision(index, weight)

    def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        """Update a weight from the gradients of all ranks."""
        [total] = self._sums([index], [grad])
        self._optimizer.update(index, weight, total, state)

    def update_multi_precision(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        """Update a weight from the gradients of all ranks, through its float32 copy."""
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
        """Return the optimizer itself, which divides by no number of ranks any longer."""
        self._optimizer.rescale_grad *= self._world.size
        wrapped: Optimizer = self._optimizer
        return wrapped

    def _sums(self, indices: Sequence[Any], grads: Sequence[Any]) -> list[Any]:
        if self._world.size == 1:
            return list(grads)
        dense = [grad.tostype("default") for grad in grads]  # itself, where it is
        views = [view_of(grad) for grad in dense]
        known = tuple((i, g.shape, v.dtype) for i, g, v in zip(indices, dense, views, strict=True))
        if known not in self._buckets:
            names = [self._optimizer.idx2name.get(index, index) for index in indices]
            self._buckets[known] = Buckets(self._world, names, dense)
        totals: list[Any] = self._buckets[known].sum(views)
        return totals


def _made_of(optimizer: Optimizer, size: int) -> DistributedOptimizer:
    """Return an optimizer that was written on `size` ranks."""
    optimizer.rescale_grad *= size
    return DistributedOptimizer(optimizer)
