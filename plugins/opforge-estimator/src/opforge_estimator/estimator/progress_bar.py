"""`ProgressBarHandler`: a progress bar for each epoch, with current metrics."""

import math
import sys
from collections.abc import Sequence
from typing import Any

from opforge.plugin_api import EvalMetric

from .events import BatchEnd, EpochBegin, EpochEnd, TrainBegin
from .history import values_of
from .metrics import metric_list

__all__ = ["ProgressBarHandler"]

#: Last line of an epoch whose metrics leave no space for a bar.
_WITHOUT_BAR = "{desc}: {n_fmt}/{total_fmt} [{elapsed}{postfix}]"


class ProgressBarHandler(TrainBegin, EpochBegin, BatchEnd, EpochEnd):
    """Handler that shows a progress bar per epoch on standard error; requires tqdm.

    It replaces the default `LoggingHandler`. If standard error is not a terminal, it writes one
    line per epoch, with the metrics of the validation if there is one.

    Parameters
    ----------
    metrics : EvalMetric or list of EvalMetric, optional
        Metrics shown next to the bar; default: the training metrics.
    priority : float, default 1000
        Runs after the metrics are updated and before logging.

    Raises
    ------
    ImportError
        tqdm is not installed.
    """

    def __init__(
        self,
        metrics: EvalMetric | Sequence[EvalMetric] | None = None,
        priority: float = 1000,
    ) -> None:
        try:
            from tqdm import tqdm
        except ImportError as error:
            raise ImportError(
                "ProgressBarHandler needs tqdm: pip install 'opforge[data]'"
            ) from error
        self._tqdm = tqdm
        self._bar: Any = None
        self.metrics = metric_list(metrics)
        self.priority = priority
        self.current_epoch = 0

    def train_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Reset the counters."""
        self.current_epoch = 0

    def epoch_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Show a new bar."""
        self._close()  # of a training that an exception ended
        self.current_epoch += 1
        of = f"/{estimator.max_epoch}" if estimator.max_epoch else ""
        self._bar = self._tqdm(
            total=estimator.batches_per_epoch,
            desc=f"epoch {self.current_epoch}{of}",
            unit="batch",
            delay=0 if sys.stderr.isatty() else math.inf,
        )

    def batch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> bool | None:
        """Advance the bar by one batch."""
        self._show(self.metrics or estimator.train_metrics)
        self._bar.update()
        return False

    def epoch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> bool | None:
        """Show the metrics of training and validation, and close the bar."""
        measured = [metric for metric in estimator.val_metrics if metric.num_inst]
        self._show(self.metrics or [*estimator.train_metrics, *measured])
        if self._bar.delay:
            print(self._bar, file=sys.stderr)
        else:
            self._make_room()
        self._close()
        return False

    def _make_room(self) -> None:
        """Omit the bar if the line would be cut off; a last line may wrap."""
        columns, self._bar.ncols = self._bar.ncols, None
        if columns and len(str(self._bar)) > columns:
            self._bar.bar_format = _WITHOUT_BAR
        else:
            self._bar.ncols = columns

    def _show(self, metrics: Sequence[EvalMetric]) -> None:
        shown = {name: f"{value:.4f}" for name, value in values_of(metrics).items()}
        self._bar.set_postfix(shown, refresh=False)

    def _close(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None
