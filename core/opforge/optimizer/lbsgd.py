"""`LBSGD`: gradient descent with large batches, gathered over several steps and warmed up."""

import math
from typing import Any

import numpy as np

from ..ndarray import NDArray
from .base import register
from .sgd import SGD

__all__ = ["LBSGD"]

#: Between which the rate that follows a layer's norms is kept.
_LEAST, _MOST = 0.01, 100.0


@register
class LBSGD(SGD):
    """Stochastic gradient descent for large batches.

    A step is taken with the mean of the gradients of `batch_scale` updates; those between gather
    them. Its learning rate is multiplied by a factor that grows from 1 to `batch_scale` in the
    first epochs, or by one that follows each layer's norms (LARS; You and others, 2017)::

        factor = sqrt(|weight|**2 / (|grad|**2 + wd * |weight|**2)), kept from 0.01 to 100

    Parameters
    ----------
    momentum : float, default 0.0
    multi_precision : bool, default False
        Update float16 weights through a float32 copy.
    warmup_strategy : {"linear", "power2", "sqrt", "lars"}, default "linear"
        How the factor grows with the number of updates; any other name: not before the epochs of
        warming up are over.
    warmup_epochs : int, default 5
    batch_scale : int, default 1
        Updates that make one large batch.
    updates_per_epoch : int, default 32
    begin_epoch : int, default 0
        The epoch to go on from.
    num_epochs : int, default 60
        Accepted.
    **kwargs
        Settings of `Optimizer`.

    Examples
    --------
    >>> from opforge import nd, optimizer
    >>> large = optimizer.LBSGD(learning_rate=1.0, batch_scale=2, warmup_epochs=0)
    >>> weight = nd.zeros(1)
    >>> for gradient in (1, 3):
    ...     large.update(0, weight, nd.array([gradient]), None)
    ...     print(weight.asscalar())
    0.0
    -4.0
    """

    _copy_is_last = False

    def __init__(
        self,
        momentum: float = 0.0,
        multi_precision: bool = False,
        warmup_strategy: str = "linear",
        warmup_epochs: int = 5,
        batch_scale: int = 1,
        updates_per_epoch: int = 32,
        begin_epoch: int = 0,
        num_epochs: int = 60,
        **kwargs: Any,
    ) -> None:
        super().__init__(momentum=momentum, multi_precision=multi_precision, **kwargs)
        self.warmup_strategy = warmup_strategy
        self.warmup_epochs = warmup_epochs
        self.batch_scale = batch_scale
        self.updates_per_epoch = updates_per_epoch
        self.init_updates = begin_epoch * updates_per_epoch
        self.num_epochs = num_epochs
        #: Of each weight on each device: the sum of what was gathered, and how many updates it had.
        self._gathered: dict[Any, tuple[NDArray | None, int]] = {}
        self._rate = 0.0

    def update(self, index: Any, weight: NDArray, grad: NDArray, state: Any) -> None:
        """Gather the gradient, and update `weight` and `state` once there are enough."""
        rate = self._get_lr(index)  # as it is before this update counts
        place = weight.context.device_id, index
        total, count = self._gathered.get(place, (None, self.init_updates))
        # A copy: the program computes the next gradient into the same array.
        total, count = grad.copy() if total is None else total + grad, count + 1
        if count % self.batch_scale:
            self._gathered[place] = total, count
            self._update_count(index)
            return
        self._gathered[place] = None, count
        mean: Any = total / self.batch_scale
        self._rate = rate * self._factor(count, weight, mean, self._get_wd(index))
        super().update(index, weight, mean, state)

    def _step_rates(self, indices: Any) -> list[float]:
        return [self._rate]

    def _factor(self, count: int, weight: NDArray, grad: NDArray, wd: float) -> float:
        """Return by what the rate is multiplied."""
        if self.warmup_strategy == "lars":
            size, slope = _square(weight), _square(grad)
            return min(max(math.sqrt(size / (slope + wd * size + 1e-18)), _LEAST), _MOST)
        warm = self.warmup_epochs * self.updates_per_epoch
        if count >= warm:
            return float(self.batch_scale)
        share = count / warm
        grown = {"linear": share, "power2": share**2, "sqrt": math.sqrt(share)}
        return 1.0 + (self.batch_scale - 1) * grown.get(self.warmup_strategy, 0.0)


def _square(array: NDArray) -> float:
    """Return the sum of the squares."""
    values = array.asnumpy()
    return float(np.square(values).sum())
