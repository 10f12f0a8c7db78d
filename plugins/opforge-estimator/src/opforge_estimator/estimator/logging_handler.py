"""`LoggingHandler`: logs the progress of training."""

import math
import time
from collections.abc import Sequence
from typing import Any

from opforge.plugin_api import EvalMetric

from .events import BatchBegin, BatchEnd, EpochBegin, EpochEnd, TrainBegin, TrainEnd
from .metrics import TRAINING, metric_list

__all__ = ["LoggingHandler"]


class LoggingHandler(TrainBegin, TrainEnd, EpochBegin, EpochEnd, BatchBegin, BatchEnd):
    """Handler that logs the start and the end of training and epochs.

    Parameters
    ----------
    log_interval : int or "epoch", default "epoch"
        Also log a line at this interval of batches.
    metrics : EvalMetric or list of EvalMetric, optional
        Metrics to log.
    priority : float, default inf
        Runs last, after the handlers that it reports on.

    Raises
    ------
    ValueError
        `log_interval` is neither "epoch" nor a positive int.
    """

    def __init__(
        self,
        log_interval: int | str = "epoch",
        metrics: EvalMetric | Sequence[EvalMetric] | None = None,
        priority: float = math.inf,
    ) -> None:
        if log_interval != "epoch" and (not isinstance(log_interval, int) or log_interval < 1):
            raise ValueError(
                f"LoggingHandler: got log_interval={log_interval!r}, log_interval must be either "
                "a positive integer or the string 'epoch'"
            )
        self.log_interval = log_interval
        self.metrics = metric_list(metrics)
        self.priority = priority
        self.batch_index = 0
        self.current_epoch = 0
        self.processed_samples = 0
        self.log_interval_time = 0.0
        self._train_began = self._epoch_began = self._batch_began = time.perf_counter()

    def train_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Log the optimizer and the duration of training."""
        self._train_began = time.perf_counter()
        trainer = estimator.trainer
        estimator.logger.info(
            "Training begin: using optimizer %s with current learning rate %.4f ",
            type(trainer.optimizer).__name__,
            trainer.learning_rate,
        )
        if estimator.max_epoch:
            estimator.logger.info("Train for %d epochs.", estimator.max_epoch)
        else:
            estimator.logger.info("Train for %d batches.", estimator.max_batch)
        self.current_epoch = 0
        self.batch_index = 0
        self.processed_samples = 0
        self.log_interval_time = 0.0

    def train_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Log the elapsed time and the metrics."""
        seconds = time.perf_counter() - self._train_began
        began = f"Train finished using total {seconds:.0f}s with {self.current_epoch} epochs. "
        self._write(estimator, began)

    def epoch_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Log the start of an epoch or validation."""
        self._epoch_began = time.perf_counter()
        if self._is_of_training:
            estimator.logger.info(
                "[Epoch %d] Begin, current learning rate: %.4f",
                self.current_epoch,
                estimator.trainer.learning_rate,
            )
        else:
            estimator.logger.info("Validation Begin")

    def epoch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> bool | None:
        """Log the metrics of an epoch."""
        seconds = time.perf_counter() - self._epoch_began
        self._write(estimator, f"{self._title} Finished in {seconds:.3f}s, ")
        self.current_epoch += 1
        self.batch_index = 0
        return False

    def batch_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Record the time."""
        self._batch_began = time.perf_counter()

    def batch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> bool | None:
        """Log the current metrics if due."""
        if isinstance(self.log_interval, int):
            self.processed_samples += kwargs["batch"][0].shape[0]
            self.log_interval_time += time.perf_counter() - self._batch_began
            if self.batch_index % self.log_interval == 0:
                self._write(
                    estimator,
                    f"{self._title}[Batch {self.batch_index}]"
                    f"[Samples {self.processed_samples}] "
                    f"time/interval: {self.log_interval_time:.3f}s ",
                )
                self.log_interval_time = 0.0
        self.batch_index += 1
        return False

    @property
    def _is_of_training(self) -> bool:
        names = [metric.name for metric in self.metrics]
        return not names or any(name.startswith(TRAINING) for name in names)

    @property
    def _title(self) -> str:
        """Return the prefix of log lines; a validation is a separate run without epochs."""
        return f"[Epoch {self.current_epoch}]" if self._is_of_training else "Validation"

    def _write(self, estimator: Any, began: str) -> None:
        values = (pair for metric in self.metrics for pair in metric.get_name_value())
        line = began + ", ".join(f"{name}: {value:.4f}" for name, value in values)
        estimator.logger.info("%s", line.rstrip(", "))
