"""`CSVHandler`: a file with one row of metrics per epoch."""

import csv
import os
from typing import Any

from .events import EpochEnd, TrainBegin
from .history import values_of

__all__ = ["CSVHandler"]


class CSVHandler(TrainBegin, EpochEnd):
    """Handler that writes the metrics of each epoch to a CSV file, row by row.

    The columns are ``epoch``, counted from 1, ``learning_rate`` and the metrics by the names of a
    `History`. An existing file is replaced when training begins.

    Parameters
    ----------
    filename : str or path
    priority : float, default -900
        Runs after the metrics are updated and the validation is done.

    Raises
    ------
    OSError
        When training begins: the file cannot be written.
    """

    def __init__(self, filename: str | os.PathLike[str], priority: float = -900) -> None:
        self.filename = filename
        self.priority = priority
        self.current_epoch = 0
        self._columns: list[str] = []

    def train_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Create the file."""
        self.current_epoch = 0
        self._columns = []
        with open(self.filename, "w", newline="", encoding="utf-8"):
            pass

    def epoch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> bool | None:
        """Append a row."""
        self.current_epoch += 1
        measured = [metric for metric in estimator.val_metrics if metric.num_inst]
        row: dict[str, Any] = {
            "epoch": self.current_epoch,
            "learning_rate": estimator.trainer.learning_rate,
            **values_of([*estimator.train_metrics, *measured]),
        }
        with open(self.filename, "a", newline="", encoding="utf-8") as file:
            if not self._columns:
                self._columns = list(row)
                csv.writer(file).writerow(self._columns)
            csv.DictWriter(file, self._columns, extrasaction="ignore").writerow(row)
        return False
