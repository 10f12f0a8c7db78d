"""`LBSGD`: gradient descent with large batches, accumulated over several steps, with warm-up."""

import math
from typing import Any

import numpy as np

from opforge.plugin_api import F
from opforge.plugin_api import optimizer as core

__all__ = ["LBSGD"]

#: Limits of the learning-rate factor that depends on a layer's norms.
_MIN_FACTOR, _MAX_FACTOR = 0.01, 100.0


class LBSGD(core.SGD):
    """Stochastic gradient descent for large batches.

    One step uses the mean gradient of `batch_scale` updates; the updates in between only accumulate
    gradients. The learning rate is multiplied by a factor that grows from 1 to `batch_scale` during
    the first epochs, or by one that depends on each layer's norms (LARS; You et al., 2017)::

        factor = sqrt(|weight|**2 / (|grad|**2 + wd * |weight|**2)), clipped to [0.01, 100]

    Parameters
    ----------
    momentum : float, default 0.0
    multi_precision : bool, default False
        Update float16 and bfloat16 weights through a float32 copy.
    warmup_strategy : {"linear", "power2", "sqrt", "lars"}, default "linear"
        Growth of the factor with the number of updates; for any other name it stays 1 until the
        warm-up is over.
    warmup_epochs : int, default 5
    batch_scale : int, default 1
        Number of updates that form one large batch.
    updates_per_epoch : int, default 32
    begin_epoch : int, default 0
        Epoch to continue from.
    num_epochs : int, default 60
        Ignored.
    **kwargs
        See `Optimizer`.

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
        #: By device and index of a weight: the accumulated gradient, and the number of updates.
        self._accumulated: dict[Any, tuple[F.NDArray | None, int]] = {}
        self._rate = 0.0

    def update(self, index: Any, weight: F.NDArray, grad: F.NDArray, state: Any) -> None:
        """Accumulate the gradient, and update `weight` and `state` when the batch is complete."""
        rate = self._get_lr(index)  # before this update is counted
        key = weight.context.device_id, index
        total, count = self._accumulated.get(key, (None, self.init_updates))
        # A copy: the program computes the next gradient into the same array.
        total, count = grad.copy() if total is None else total + grad, count + 1
        if count % self.batch_scale:
            self._accumulated[key] = total, count
            self._update_count(index)
            return
        self._accumulated[key] = None, count
        mean: Any = total / self.batch_scale
        self._rate = rate * self._factor(count, weight, mean, self._get_wd(index))
        super().update(index, weight, mean, state)

    def step_rates(self, indices: Any, weights: Any, grads: Any) -> list[float]:
        """Return the learning rates that the rule is given."""
        return [self._rate]

    def _factor(self, count: int, weight: F.NDArray, grad: F.NDArray, wd: float) -> float:
        """Return the factor of the learning rate."""
        if self.warmup_strategy == "lars":
            size, slope = _square(weight), _square(grad)
            factor = math.sqrt(size / (slope + wd * size + 1e-18))
            return min(max(factor, _MIN_FACTOR), _MAX_FACTOR)
        warmup = self.warmup_epochs * self.updates_per_epoch
        if count >= warmup:
            return float(self.batch_scale)
        done = count / warmup
        growth = {"linear": done, "power2": done**2, "sqrt": math.sqrt(done)}
        return 1.0 + (self.batch_scale - 1) * growth.get(self.warmup_strategy, 0.0)


def _square(array: F.NDArray) -> float:
    """Return the sum of squares."""
    values = array.asnumpy()
    return float(np.square(values).sum())
