"""Callbacks for `Module.fit` that log or save after batches and epochs."""

import logging
import math
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from opforge.checkpoint import save_checkpoint

__all__ = [
    "BatchEndParam",
    "LogValidationMetricsCallback",
    "ProgressBar",
    "Speedometer",
    "do_checkpoint",
    "log_train_metric",
    "module_checkpoint",
]

EpochEnd = Callable[..., None]


class BatchEndParam(NamedTuple):
    """Arguments of a callback at the end of a batch.

    Parameters
    ----------
    epoch, nbatch : int
        Both counted from 0.
    eval_metric : metric.EvalMetric or None
    locals : dict
        Local variables of the calling loop.
    """

    epoch: int
    nbatch: int
    eval_metric: Any
    locals: Any


def module_checkpoint(
    mod: Any, prefix: str, period: int = 1, save_optimizer_states: bool = False
) -> EpochEnd:
    """Return an ``epoch_end_callback`` that saves a module's checkpoint.

    Parameters
    ----------
    mod : BaseModule
    prefix : str
        As in `model.save_checkpoint`.
    period : int, default 1
        Save every `period` epochs.
    save_optimizer_states : bool, default False
        Also write ``prefix-0001.states``.
    """
    period = max(1, int(period))

    def save(iter_no: int, sym: Any = None, arg: Any = None, aux: Any = None) -> None:
        if (iter_no + 1) % period == 0:
            mod.save_checkpoint(prefix, iter_no + 1, save_optimizer_states=save_optimizer_states)

    return save


def do_checkpoint(prefix: str, period: int = 1) -> EpochEnd:
    """Return an ``epoch_end_callback`` that saves the network and its parameters.

    Parameters
    ----------
    prefix : str
        As in `model.save_checkpoint`.
    period : int, default 1
        Save every `period` epochs.
    """
    period = max(1, int(period))

    def save(iter_no: int, sym: Any, arg: Any, aux: Any) -> None:
        if (iter_no + 1) % period == 0:
            save_checkpoint(prefix, iter_no + 1, sym, arg, aux)

    return save


def log_train_metric(period: int, auto_reset: bool = False) -> Callable[[BatchEndParam], None]:
    """Return a ``batch_end_callback`` that logs the training metric.

    Parameters
    ----------
    period : int
        Log every `period` batches.
    auto_reset : bool, default False
        Reset the metric after each line.
    """

    def log(param: BatchEndParam) -> None:
        metric = param.eval_metric
        if param.nbatch % period != 0 or metric is None:
            return
        for name, value in metric.get_name_value():
            logging.info("Iter[%d] Batch[%d] Train-%s=%f", param.epoch, param.nbatch, name, value)
        if auto_reset:
            metric.reset_local()

    return log


class Speedometer:
    """A ``batch_end_callback`` that logs samples per second and the training metric.

    Parameters
    ----------
    batch_size : int
        Samples per batch.
    frequent : int, default 50
        Log every `frequent` batches.
    auto_reset : bool, default True
        Reset the metric after each line; otherwise it accumulates from the start of the epoch.

    Examples
    --------
    >>> from opforge import model
    >>> meter = Speedometer(batch_size=32, frequent=1)
    >>> for nbatch in range(2):  # logs Iter[0] Batch [1] Speed: ... samples/sec
    ...     meter(model.BatchEndParam(0, nbatch, None, None))
    """

    def __init__(self, batch_size: int, frequent: int = 50, auto_reset: bool = True) -> None:
        self.batch_size = batch_size
        self.frequent = frequent
        self.auto_reset = auto_reset
        self.last_count = 0
        self._start: float | None = None

    def __call__(self, param: BatchEndParam) -> None:
        """Log every `frequent` batches."""
        count = param.nbatch
        if self.last_count > count:
            self._start = None  # a new epoch
        self.last_count = count
        if self._start is None:
            self._start = time.perf_counter()
        elif count % self.frequent == 0:
            seconds = time.perf_counter() - self._start
            samples = self.frequent * self.batch_size
            self._log(param, samples / seconds if seconds else math.inf)
            self._start = time.perf_counter()

    def _log(self, param: BatchEndParam, speed: float) -> None:
        count, metric = param.nbatch, param.eval_metric
        if metric is None:
            logging.info("Iter[%d] Batch [%d]\tSpeed: %.2f samples/sec", param.epoch, count, speed)
            return
        values = metric.get_name_value()
        if self.auto_reset:
            metric.reset_local()
        first = count - self.frequent if self.auto_reset else 0
        logging.info(
            "Epoch[%d] Batch [%d-%d]\tSpeed: %.2f samples/sec" + "\t%s=%f" * len(values),
            param.epoch,
            first,
            count,
            speed,
            *(part for pair in values for part in pair),
        )


class ProgressBar:
    """A ``batch_end_callback`` that logs a progress bar.

    Parameters
    ----------
    total : int
        Batches per epoch.
    length : int, default 80
        Width of the bar in characters.

    Examples
    --------
    >>> from opforge import model
    >>> bar = ProgressBar(total=4, length=8)
    >>> bar(model.BatchEndParam(0, 1, None, None))  # logs [==------] 25%
    """

    def __init__(self, total: int, length: int = 80) -> None:
        self.bar_len = length
        self.total = total

    def __call__(self, param: BatchEndParam) -> None:
        """Log the bar."""
        fraction = param.nbatch / self.total
        filled = round(self.bar_len * fraction)
        bar = "=" * filled + "-" * (self.bar_len - filled)
        logging.info("[%s] %s%s\r", bar, math.ceil(100.0 * fraction), "%")


class LogValidationMetricsCallback:
    """An ``eval_end_callback`` that logs the validation metric."""

    def __call__(self, param: BatchEndParam) -> None:
        """Log each value."""
        if param.eval_metric:
            for name, value in param.eval_metric.get_name_value():
                logging.info("Epoch[%d] Validation-%s=%f", param.epoch, name, value)
