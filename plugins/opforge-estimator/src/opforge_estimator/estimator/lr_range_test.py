"""`LRRangeTestHandler`: record the loss at increasing learning rates to choose one."""

import math
from typing import Any

import numpy as np

from .events import BatchBegin, BatchEnd, EpochEnd, TrainBegin, TrainEnd

__all__ = ["LRRangeTestHandler"]


class LRRangeTestHandler(TrainBegin, BatchBegin, BatchEnd, EpochEnd, TrainEnd):
    """Handler that increases the learning rate each batch and records the loss (Smith, 2015).

    Training ends after `num_batches`, or when the loss diverges. The learning rate is then
    restored, but the parameters are not: run the test on a separate network, or reload them.

    Parameters
    ----------
    min_lr, max_lr : float, default 1e-6 and 10
        Rates of the first and the last batch; they increase by a constant factor.
    num_batches : int, default 100
    smoothing : float, default 0.8
        Weight of the earlier losses in the running mean that is recorded.
    divergence : float, default 4
        Training ends when the running mean exceeds the minimum by this factor or is not finite.

    Attributes
    ----------
    learning_rates, losses : list of float
        Recorded values.

    Examples
    --------
    >>> test = LRRangeTestHandler(num_batches=50)
    >>> # estimator.fit(train_data, epochs=10, event_handlers=[test]); test.suggestion()
    """

    def __init__(
        self,
        min_lr: float = 1e-6,
        max_lr: float = 10.0,
        num_batches: int = 100,
        smoothing: float = 0.8,
        divergence: float = 4.0,
    ) -> None:
        if not 0 < min_lr < max_lr:
            raise ValueError(f"LRRangeTestHandler: min_lr {min_lr} must be in (0, max_lr={max_lr})")
        if num_batches < 2:
            raise ValueError(
                f"LRRangeTestHandler: num_batches is {num_batches}, expected 2 or more"
            )
        self.min_lr = min_lr
        self.max_lr = max_lr
        self.num_batches = num_batches
        self.smoothing = smoothing
        self.divergence = divergence
        self.learning_rates: list[float] = []
        self.losses: list[float] = []
        self.stop_training = False
        self._mean = 0.0
        self._former: float | None = None

    def train_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Start recording.

        Raises
        ------
        ValueError
            The trainer has a scheduler, which would set the rates.
        """
        if estimator.trainer.optimizer.lr_scheduler is not None:
            raise ValueError("LRRangeTestHandler: use a trainer without lr_scheduler")
        self.learning_rates, self.losses = [], []
        self.stop_training = False
        self._mean = 0.0
        self._former = estimator.trainer.learning_rate

    def batch_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Set the learning rate of this batch."""
        share = len(self.losses) / (self.num_batches - 1)
        estimator.trainer.set_learning_rate(self.min_lr * (self.max_lr / self.min_lr) ** share)

    def batch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> bool | None:
        """Record the loss; return whether the test ends."""
        given = kwargs["loss"] if isinstance(kwargs["loss"], list) else [kwargs["loss"]]
        loss = float(np.mean([float(one.mean().asscalar()) for one in given]))
        self._mean = self.smoothing * self._mean + (1 - self.smoothing) * loss
        mean = self._mean / (1 - self.smoothing ** (len(self.losses) + 1))
        self.learning_rates.append(estimator.trainer.learning_rate)
        self.losses.append(mean)
        diverges = not math.isfinite(mean) or mean > self.divergence * min(self.losses)
        self.stop_training = diverges or len(self.losses) >= self.num_batches
        return self.stop_training

    def epoch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> bool | None:
        """Return whether the test has ended."""
        return self.stop_training

    def train_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Restore the trainer's learning rate."""
        estimator.trainer.set_learning_rate(self._former)

    def plot(self) -> Any:
        """Draw the losses over the learning rates, with the suggestion; requires matplotlib.

        Returns
        -------
        matplotlib.figure.Figure
        """
        import matplotlib.pyplot

        figure, diagram = matplotlib.pyplot.subplots()
        diagram.plot(self.learning_rates, self.losses)
        rate = self.suggestion()
        diagram.axvline(rate, linestyle="--", color="gray", label=f"suggestion {rate:.2g}")
        diagram.set(xscale="log", xlabel="learning rate", ylabel="loss (running mean)")
        diagram.legend()
        return figure

    def suggestion(self) -> float:
        """Return the rate at which the loss fell fastest, per factor of the rate.

        Raises
        ------
        ValueError
            Fewer than three losses were recorded.
        """
        finite = [at for at, loss in enumerate(self.losses) if math.isfinite(loss)]
        if len(finite) < 3:
            raise ValueError(
                f"LRRangeTestHandler: {len(finite)} losses were recorded, expected 3 or more; run "
                "fit with this handler first"
            )
        slopes = np.gradient(
            [self.losses[at] for at in finite], np.log([self.learning_rates[at] for at in finite])
        )
        return self.learning_rates[finite[int(np.argmin(slopes))]]
