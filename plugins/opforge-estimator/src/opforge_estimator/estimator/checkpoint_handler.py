"""`CheckpointHandler`: saves checkpoints during training and resumes from them."""

import math
import warnings
from typing import Any

from opforge.plugin_api import EvalMetric, gluon

from .checkpoints import Checkpoints, Point
from .events import BatchEnd, EpochEnd, TrainBegin
from .metrics import comparison, expect_monitor, worst

__all__ = ["CheckpointHandler"]


class CheckpointHandler(TrainBegin, BatchEnd, EpochEnd):
    """Handler that saves parameters and optimizer states periodically.

    ``model-epoch1batch8.params`` and ``.states`` are those after epoch 1, counted from 0, which
    ended with the eighth batch. A hybridized network's graph is ``model-symbol.json``.

    Parameters
    ----------
    model_dir : str
        Folder; created if missing.
    model_prefix : str, default "model"
        Prefix of file names.
    monitor : EvalMetric, optional
        Metric that determines the best model.
    verbose : int, default 0
        1: log each checkpoint.
    save_best : bool, default False
        Keep the best model by `monitor` as ``model-best.params`` and ``.states``.
    mode : {"auto", "min", "max"}, default "auto"
        Whether lower or higher is better; "auto" decides by the metric's name.
    epoch_period : int or None, default 1
        Number of epochs between checkpoints.
    batch_period : int, optional
        Number of batches between checkpoints.
    max_checkpoints : int, default 5
        Maximum number of checkpoints; older ones are removed, except the best model.
    resume_from_checkpoint : bool, default False
        Resume from the latest checkpoint in the folder; the epochs or batches passed to
        `Estimator.fit` are then those of the whole training.

    Raises
    ------
    ValueError
        `save_best` without a metric to monitor.
    """

    def __init__(
        self,
        model_dir: str,
        model_prefix: str = "model",
        monitor: EvalMetric | None = None,
        verbose: int = 0,
        save_best: bool = False,
        mode: str = "auto",
        epoch_period: int | None = 1,
        batch_period: int | None = None,
        max_checkpoints: int = 5,
        resume_from_checkpoint: bool = False,
    ) -> None:
        self.monitor = monitor
        self.verbose = verbose
        self.model_dir = model_dir
        self.model_prefix = model_prefix
        self.save_best = save_best
        self.epoch_period = epoch_period
        self.batch_period = batch_period
        self.max_checkpoints = max_checkpoints
        self.resume_from_checkpoint = resume_from_checkpoint
        self.current_batch = 0
        self.current_epoch = 0
        self._checkpoints = Checkpoints(model_dir, model_prefix, max_checkpoints)
        #: Epochs and batches of the resumed training.
        self._before = Point(0, 0)
        if save_best:
            expect_monitor("CheckpointHandler(save_best=True)", monitor)
            assert monitor is not None
            self.monitor_op = comparison("CheckpointHandler", monitor, mode)
            self.best = worst(self.monitor_op)

    def train_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Reset the counters, and load the latest checkpoint if requested."""
        self.current_epoch = 0
        self.current_batch = 0
        self._before = Point(0, 0)
        if self.save_best:
            self.best = worst(self.monitor_op)
        if self.resume_from_checkpoint:
            self._expect_one_kind_of_period(estimator)
            self._resume(estimator)

    def batch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> bool | None:
        """Save a checkpoint if one is due."""
        if self.current_batch == 0:
            self._save_symbol(estimator)
        if self.batch_period and (self.current_batch + 1) % self.batch_period == 0:
            self._save(estimator)
        self.current_batch += 1
        return False

    def epoch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> bool | None:
        """Save a checkpoint if one is due."""
        if self.epoch_period and (self.current_epoch + 1) % self.epoch_period == 0:
            self._save(estimator)
        self.current_epoch += 1
        return False

    # -- going on -----------------------------------------------------------------------------

    def _expect_one_kind_of_period(self, estimator: Any) -> None:
        kind, other = ("epoch", "batch") if estimator.max_epoch else ("batch", "epoch")
        assert getattr(self, f"{kind}_period") and not getattr(self, f"{other}_period"), (
            "CheckpointHandler(resume_from_checkpoint=True): a training by "
            f"{_plural(kind)} needs a {kind}_period and {other}_period=None, got "
            f"epoch_period={self.epoch_period} and batch_period={self.batch_period}"
        )

    def _resume(self, estimator: Any) -> None:
        latest = self._checkpoints.read()
        kind = "epoch" if estimator.max_epoch else "batch"
        whole = getattr(estimator, f"max_{kind}")
        if latest is None:
            estimator.logger.info(
                "CheckpointHandler: No checkpoint found, training from scratch for %d %s",
                whole,
                _plural(kind),
            )
            return
        # Epochs in file names start at 0; batches start at 0 when training by batches, else at 1.
        done = getattr(latest, kind) + 1
        if done >= whole:
            raise ValueError(
                f"CheckpointHandler: the checkpoint at {latest} in {self.model_dir} already has "
                f"the {whole} {_plural(kind)} passed to fit. Pass more to continue, or "
                "resume_from_checkpoint=False to train from scratch"
            )
        self._checkpoints.load(latest, estimator.net, estimator.trainer, estimator.context)
        self._before = Point(latest.epoch + 1, latest.batch + (kind == "batch"))
        setattr(estimator, f"max_{kind}", whole - done)
        estimator.logger.warning(
            "CheckpointHandler: Checkpoint resumed from epoch %d batch %d, continue to train for "
            "%d %s",
            *latest,
            whole - done,
            _plural(kind),
        )

    # -- saving -------------------------------------------------------------------------------

    def _save(self, estimator: Any) -> None:
        point = Point(
            self._before.epoch + self.current_epoch, self._before.batch + self.current_batch
        )
        name = self._checkpoints.save(point, estimator.net, estimator.trainer)
        self._log(
            estimator,
            "trained total %d batches, saving model at %s with prefix: %s",
            self.current_batch + 1,
            self.model_dir,
            name,
        )
        if self.save_best:
            self._save_best(estimator)

    def _save_best(self, estimator: Any) -> None:
        assert self.monitor is not None
        name, value = self.monitor.get()
        if math.isnan(value):
            warnings.warn(
                f"CheckpointHandler: {name} has no value, so the best model is not saved; monitor "
                "one of the metrics in estimator.train_metrics and estimator.val_metrics",
                RuntimeWarning,
                stacklevel=4,
            )
        elif self.monitor_op(value, self.best):
            self._checkpoints.save_as("best", estimator.net, estimator.trainer)
            self._log(
                estimator,
                "%s improved from %0.5f to %0.5f, updating best model at %s with prefix: %s",
                name,
                self.best,
                value,
                self.model_dir,
                f"{self.model_prefix}-best",
            )
            self.best = value
        else:
            self._log(
                estimator,
                "%s did not improve from %0.5f, skipping updating best model",
                name,
                self.best,
            )

    def _save_symbol(self, estimator: Any) -> None:
        path = self._checkpoints.path("symbol.json")
        graph = getattr(estimator.net, "_graph", None)
        if graph is not None and graph.has_trace:
            found = graph.last_trace()
            gluon.fixed_sizes.warn_of_fixed_sizes(estimator.net, found)
            found.symbol.save(path)
            return
        estimator.logger.info(
            "Model architecture(symbol file) is not saved, please use HybridBlock to construct "
            "your model, and call net.hybridize() before passing to Estimator in order to save "
            "model architecture as %s.",
            path,
        )

    def _log(self, estimator: Any, text: str, *values: Any) -> None:
        if self.verbose > 0:
            estimator.logger.info(
                f"[Epoch %d] CheckpointHandler: {text}", self.current_epoch, *values
            )


def _plural(kind: str) -> str:
    return {"epoch": "epochs", "batch": "batches"}[kind]
