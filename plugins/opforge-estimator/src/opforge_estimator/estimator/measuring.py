"""`MetricHandler` and `ValidationHandler`: update metrics and run validation.

Both run before handlers that read the metrics.
"""

from collections.abc import Callable, Sequence
from typing import Any

from opforge.plugin_api import EvalMetric
from opforge.plugin_api import metric as _metric

from .events import BatchEnd, EpochBegin, EpochEnd, EventHandler, TrainBegin
from .metrics import metric_list
from .outputs import LossSum, OutputLoss, update_by_output

__all__ = ["MetricHandler", "ValidationHandler"]


class MetricHandler(EpochBegin, BatchEnd):
    """Handler that resets metrics before each epoch and updates them after each batch.

    Parameters
    ----------
    metrics : EvalMetric or list of EvalMetric
        A `metric.Loss` gets the losses, others get labels and predictions; of several outputs,
        those that its `label_names` and `output_names` select.
    priority : float, default -1000
    """

    def __init__(self, metrics: EvalMetric | Sequence[EvalMetric], priority: float = -1000) -> None:
        self.metrics = metric_list(metrics)
        self.priority = priority

    def epoch_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Reset the metrics."""
        for metric in self.metrics:
            metric.reset()

    def batch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> bool | None:
        """Update the metrics with a batch."""
        loss = getattr(estimator, "loss", None)
        for metric in self.metrics:
            if isinstance(metric, _metric.Loss) and not isinstance(metric, OutputLoss):
                metric.update(None, kwargs["loss"])
            elif isinstance(loss, LossSum):
                update_by_output(metric, list(loss.losses), kwargs["label"], kwargs["pred"])
            else:
                metric.update(kwargs["label"], kwargs["pred"])
        return False


class ValidationHandler(TrainBegin, BatchEnd, EpochEnd):
    """Handler that runs validation periodically.

    Parameters
    ----------
    val_data : DataLoader
    eval_fn : callable
        ``eval_fn(val_data=, batch_axis=, event_handlers=)``, usually `Estimator.evaluate`.
    epoch_period : int or None, default 1
        Number of epochs between validations.
    batch_period : int, optional
        Number of batches between additional validations.
    priority : float, default -1000
    event_handlers : EventHandler or list of EventHandler, optional
        Passed to `eval_fn`.
    """

    def __init__(
        self,
        val_data: Any,
        eval_fn: Callable[..., Any],
        epoch_period: int | None = 1,
        batch_period: int | None = None,
        priority: float = -1000,
        event_handlers: EventHandler | Sequence[EventHandler] | None = None,
    ) -> None:
        self.val_data = val_data
        self.eval_fn = eval_fn
        self.epoch_period = epoch_period
        self.batch_period = batch_period
        self.current_batch = 0
        self.current_epoch = 0
        self.priority = priority
        self.event_handlers = event_handlers

    def train_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Reset the counters."""
        self.current_batch = 0
        self.current_epoch = 0

    def batch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> bool | None:
        """Run validation if due."""
        self.current_batch += 1
        if self.batch_period and self.current_batch % self.batch_period == 0:
            self._validate(estimator)
        return False

    def epoch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> bool | None:
        """Run validation if due."""
        self.current_epoch += 1
        if self.epoch_period and self.current_epoch % self.epoch_period == 0:
            self._validate(estimator)
        return False

    def _validate(self, estimator: Any) -> None:
        self.eval_fn(
            val_data=self.val_data,
            batch_axis=estimator.batch_axis,
            event_handlers=self.event_handlers,
        )
