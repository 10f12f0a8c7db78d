"""`TensorBoardHandler`: what a training does, for TensorBoard."""

import os
import warnings
from collections.abc import Mapping
from typing import Any

from opforge.plugin_api import F, HybridBlock, OpforgeError

from .events import BatchEnd, EpochEnd, TrainBegin, TrainEnd
from .history import values_of

__all__ = ["TensorBoardHandler"]


class TensorBoardHandler(TrainBegin, BatchEnd, EpochEnd, TrainEnd):
    """Handler that writes a training for TensorBoard: ``tensorboard --logdir runs``.

    Metrics of training and validation are written after each epoch, into the runs ``train`` and
    ``validation`` of `log_dir`, so that each diagram has both curves; so are the learning rate and
    the distributions of parameters and gradients. The graph of a HybridBlock with one input is
    written once.

    Parameters
    ----------
    log_dir : str or path
        Folder of this training, such as ``"runs/first"``.
    batch_interval : int, optional
        Write the training metrics after each of this number of batches, too.
    histograms : bool, default True
        Whether to write distributions of parameters and of their last gradients.
    graph : bool, default True
        Whether to write the graph.
    hyperparameters : dict, optional
        Values that TensorBoard compares between trainings.
    priority : float, default -900
        Runs after the metrics are updated and the validation is done.

    Raises
    ------
    ImportError
        When training begins: tensorboard is not installed.
    ValueError
        `batch_interval` is less than 1.
    """

    def __init__(
        self,
        log_dir: str | os.PathLike[str],
        batch_interval: int | None = None,
        histograms: bool = True,
        graph: bool = True,
        hyperparameters: Mapping[str, Any] | None = None,
        priority: float = -900,
    ) -> None:
        if batch_interval is not None and batch_interval < 1:
            raise ValueError(
                f"TensorBoardHandler: batch_interval is {batch_interval}, expected at least 1"
            )
        self.log_dir = os.fspath(log_dir)
        self.batch_interval = batch_interval
        self.histograms = histograms
        self.graph = graph
        self.hyperparameters = hyperparameters
        self.priority = priority
        self._batches = self._epochs = 0
        self._has_graph = False
        self._writers: dict[str, Any] = {}

    def train_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Create the file, and write the hyperparameters."""
        self._close()  # of a training that an exception ended
        self._batches = self._epochs = 0
        self._has_graph = False
        if self.hyperparameters is not None:
            self._writer("train").add_hparams(self.hyperparameters)

    def batch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> bool | None:
        """Write the graph after the first batch, and metrics after every `batch_interval`."""
        self._batches += 1
        if self.graph and not self._has_graph:
            self._has_graph = True
            self._write_graph(estimator.net, kwargs["batch"][0])
        if self.batch_interval and self._batches % self.batch_interval == 0:
            for name, value in values_of(estimator.train_metrics).items():
                self._writer("train").add_scalar(f"batches/{name}", value, self._batches)
        return False

    def epoch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> bool | None:
        """Write metrics, the learning rate and distributions."""
        self._epochs += 1
        train = self._writer("train")
        for name, value in values_of(estimator.train_metrics).items():
            train.add_scalar(f"epochs/{name}", value, self._epochs)
        train.add_scalar("epochs/learning_rate", estimator.trainer.learning_rate, self._epochs)
        measured = values_of(metric for metric in estimator.val_metrics if metric.num_inst)
        for name, value in measured.items():
            tag = f"epochs/{name.removeprefix('val_')}"
            self._writer("validation").add_scalar(tag, value, self._epochs)
        if self.histograms:
            self._write_histograms(estimator.net)
        for writer in self._writers.values():
            writer.flush()
        return False

    def train_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Close the files."""
        self._close()

    def _write_graph(self, net: Any, data: Any) -> None:
        if not isinstance(net, HybridBlock) or not isinstance(data, F.NDArray):
            return
        try:
            self._writer("train").add_graph(net, data)
        except OpforgeError as error:
            warnings.warn(
                f"TensorBoardHandler: the network has no graph, pass graph=False: {error}",
                stacklevel=2,
            )

    def _write_histograms(self, net: Any) -> None:
        writer = self._writer("train")
        for name, parameter in net.collect_params().items():
            writer.add_histogram(f"parameters/{name}", parameter.data(), self._epochs)
            if parameter.grad_req != "null":
                writer.add_histogram(f"gradients/{name}", parameter.grad(), self._epochs)

    def _writer(self, run: str) -> Any:
        if run not in self._writers:
            from ..tensorboard import SummaryWriter

            self._writers[run] = SummaryWriter(os.path.join(self.log_dir, run))
        return self._writers[run]

    def _close(self) -> None:
        for writer in self._writers.values():
            writer.close()
        self._writers = {}
