"""`StoppingHandler` and `EarlyStoppingHandler`: conditions that end training."""

import math
import warnings
from typing import Any

import numpy as np

from opforge.plugin_api import EvalMetric

from .events import BatchEnd, EpochEnd, TrainBegin, TrainEnd
from .metrics import comparison, expect_monitor, worst

__all__ = ["EarlyStoppingHandler", "StoppingHandler"]


class StoppingHandler(TrainBegin, BatchEnd, EpochEnd):
    """Handler that stops training after a number of epochs or batches.

    The limits passed to `Estimator.fit` apply as well.

    Parameters
    ----------
    max_epoch, max_batch : int, optional
    """

    def __init__(self, max_epoch: int | None = None, max_batch: int | None = None) -> None:
        self._own = max_epoch, max_batch
        self.max_epoch = max_epoch
        self.max_batch = max_batch
        self.current_batch = 0
        self.current_epoch = 0
        self.stop_training = False

    def train_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Reset the counters."""
        self.max_epoch = _least(self._own[0], estimator.max_epoch)
        self.max_batch = _least(self._own[1], estimator.max_batch)
        self.current_batch = 0
        self.current_epoch = 0
        self.stop_training = False

    def batch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> bool | None:
        """Count a batch; return whether it was the last."""
        self.current_batch += 1
        if self.current_batch == self.max_batch:
            self.stop_training = True
        return self.stop_training

    def epoch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> bool | None:
        """Count an epoch; return whether it was the last."""
        self.current_epoch += 1
        if self.current_epoch == self.max_epoch:
            self.stop_training = True
        return self.stop_training


class EarlyStoppingHandler(TrainBegin, EpochEnd, TrainEnd):
    """Handler that stops training when a metric no longer improves.

    Parameters
    ----------
    monitor : EvalMetric
        One of ``estimator.train_metrics`` or ``estimator.val_metrics``.
    min_delta : float, default 0
        Minimum difference that counts as an improvement.
    patience : int, default 0
        Number of epochs without improvement to wait.
    mode : {"auto", "min", "max"}, default "auto"
        Whether lower or higher is better; "auto" decides by the metric's name.
    baseline : float, optional
        Value that the first one must improve on.
    """

    def __init__(
        self,
        monitor: EvalMetric,
        min_delta: float = 0,
        patience: int = 0,
        mode: str = "auto",
        baseline: float | None = None,
    ) -> None:
        expect_monitor("EarlyStoppingHandler", monitor)
        self.monitor = monitor
        self.baseline = baseline
        self.patience = patience
        self.monitor_op = comparison("EarlyStoppingHandler", monitor, mode)
        self.min_delta = min_delta if self.monitor_op is np.greater else -min_delta
        self.wait = 0
        self.stopped_epoch = 0
        self.current_epoch = 0
        self.stop_training = False

    def train_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Start monitoring."""
        self.wait = 0
        self.stopped_epoch = 0
        self.current_epoch = 0
        self.stop_training = False
        self.best = worst(self.monitor_op) if self.baseline is None else self.baseline

    def epoch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> bool | None:
        """Check the metric; return whether to stop."""
        name, value = self.monitor.get()
        if math.isnan(value):
            warnings.warn(
                f"EarlyStoppingHandler: {name} has no value; monitor one of the metrics in "
                "estimator.train_metrics and estimator.val_metrics",
                RuntimeWarning,
                stacklevel=2,
            )
        elif self.monitor_op(value - self.min_delta, self.best):
            self.best = value
            self.wait = 0
        else:
            self.wait += 1
            if self.wait >= self.patience:
                self.stopped_epoch = self.current_epoch
                self.stop_training = True
        self.current_epoch += 1
        return self.stop_training

    def train_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Log the reason if this handler stopped training."""
        if self.stop_training:
            estimator.logger.info(
                "[Epoch %d] EarlyStoppingHandler: early stopping due to %s not improving",
                self.stopped_epoch,
                self.monitor.name,
            )


def _least(own: int | None, given: int | None) -> int | None:
    """Return the smaller limit; None means no limit."""
    return min((limit for limit in (own, given) if limit is not None), default=None)
