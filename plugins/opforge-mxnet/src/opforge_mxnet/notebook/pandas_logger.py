"""`PandasLogger`: tables of metrics and times of a training."""

import time
from datetime import datetime, timedelta
from typing import Any

from .requirements import required

__all__ = ["PandasLogger", "take_metrics"]


class PandasLogger:
    """Callback that records metrics and speed in data frames, which grow in place.

    Parameters
    ----------
    batch_size : int
    frequent : int, default 50
        Number of batches between rows of `train_df`.

    Raises
    ------
    ImportError
        pandas is not installed.
    """

    def __init__(self, batch_size: int, frequent: int = 50) -> None:
        self._pandas = required("pandas", type(self).__name__)
        self.batch_size = batch_size
        self.frequent = frequent
        self._dataframes = {name: self._pandas.DataFrame() for name in ("train", "eval", "epoch")}
        self.last_time = time.time()
        self.start_time = self.last_epoch_time = datetime.now()

    @property
    def train_df(self) -> Any:
        """Metrics and speed of the training, with a row for every `frequent` batches."""
        return self._dataframes["train"]

    @property
    def eval_df(self) -> Any:
        """Metrics of the validation, with a row for each epoch."""
        return self._dataframes["eval"]

    @property
    def epoch_df(self) -> Any:
        """Duration of each epoch."""
        return self._dataframes["epoch"]

    @property
    def all_dataframes(self) -> dict[str, Any]:
        """The three data frames by name: ``"train"``, ``"eval"`` and ``"epoch"``."""
        return self._dataframes

    def elapsed(self) -> timedelta:
        """Return the time since the logger was created."""
        return datetime.now() - self.start_time

    def append_metrics(self, metrics: dict[str, Any], df_name: str) -> None:
        """Append a row to a data frame, with new columns for new metrics.

        Parameters
        ----------
        metrics : dict of str to object
        df_name : {"train", "eval", "epoch"}
        """
        frame = self._dataframes[df_name]
        for name in metrics:
            if name not in frame.columns:
                frame[name] = None
        frame.loc[len(frame)] = self._pandas.Series(metrics, dtype=object)

    def train_cb(self, param: Any) -> None:
        """Record the metrics of the training, for every `frequent` batches."""
        if param.nbatch % self.frequent == 0:
            self._process_batch(param, "train")

    def eval_cb(self, param: Any) -> None:
        """Record the metrics of the validation."""
        self._process_batch(param, "eval")

    def _process_batch(self, param: Any, dataframe: str) -> None:
        now = time.time()
        seconds = now - self.last_time
        speed = self.frequent / seconds if seconds else float("inf")
        metrics = {
            **take_metrics(param),
            "batches_per_sec": speed,
            "records_per_sec": speed * self.batch_size,
            "elapsed": self.elapsed(),
            "minibatch_count": param.nbatch,
            "epoch": param.epoch,
        }
        self.append_metrics(metrics, dataframe)
        self.last_time = now

    def epoch_cb(self, *args: Any) -> None:
        """Record the duration of an epoch; the arguments of the callback are not used."""
        now = datetime.now()
        self.append_metrics(
            {"elapsed": self.elapsed(), "epoch_time": now - self.last_epoch_time}, "epoch"
        )
        self.last_epoch_time = now

    def callback_args(self) -> dict[str, Any]:
        """Return the arguments of `Module.fit` that install the callbacks."""
        return {
            "batch_end_callback": self.train_cb,
            "eval_end_callback": self.eval_cb,
            "epoch_end_callback": self.epoch_cb,
        }


def take_metrics(param: Any) -> dict[str, Any]:
    """Return the values of the metric of a `BatchEndParam`, and reset it.

    Parameters
    ----------
    param : BatchEndParam
    """
    if param.eval_metric is None:
        return {}
    values = dict(param.eval_metric.get_name_value())
    param.eval_metric.reset()
    return values
