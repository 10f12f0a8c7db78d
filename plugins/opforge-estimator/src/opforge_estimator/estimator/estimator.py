"""`Estimator`: trains and evaluates a network, extended by event handlers."""

import logging
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from opforge.plugin_api import EvalMetric, Loss, Trainer
from opforge.plugin_api import context as _context
from opforge.plugin_api import data as _data

from .arguments import (
    context_list,
    expect_loss,
    expect_processor,
    expect_trainer,
    initialize,
)
from .batch_processor import BatchProcessor
from .events import (
    BatchBegin,
    BatchEnd,
    EpochBegin,
    EpochEnd,
    EventHandler,
    TrainBegin,
    TrainEnd,
    handler_list,
)
from .gradient_update import GradientUpdateHandler
from .handler_lists import in_order, with_defaults
from .history import History, HistoryHandler, values_of
from .loaders import as_loader, training_loaders
from .logging_handler import LoggingHandler
from .measuring import MetricHandler, ValidationHandler
from .metrics import Metrics, training_metrics, validation_metrics
from .phases import fit_batch, run_handlers, timed_batches
from .prediction import Predictor
from .profiling import ProfilingMixin
from .progress_bar import ProgressBarHandler
from .stopping import StoppingHandler

__all__ = ["Estimator"]

Context = _context.Context
DataLoader = _data.DataLoader

_Handlers = EventHandler | Sequence[EventHandler] | None

#: Kinds of handlers, in the order of training events.
_EVENTS = (TrainBegin, EpochBegin, BatchBegin, BatchEnd, EpochEnd, TrainEnd)


class Estimator(Predictor, ProfilingMixin):
    """Training loop of a network on a `DataLoader` or on arrays.

    Parameters
    ----------
    net : Block
    loss : gluon.loss.Loss, or dict of str to Loss
        A dict has a loss for each output and label, in their order; training minimizes the sum.
    train_metrics, val_metrics : EvalMetric, list of EvalMetric, or dict of these, optional
        Metrics of training and validation; of several outputs, by the names of their losses.
        Default: the loss, also the accuracy with `SoftmaxCrossEntropyLoss`; for validation,
        copies of the training metrics.
    initializer : Initializer, optional
        For parameters that are not initialized yet.
    trainer : Trainer, optional
        Default: SGD with a learning rate of 0.001.
    context : Context or list of Context, optional
        Devices; batches are split over several.
    val_net : Block, optional
        Network for validation, which usually shares the parameters of `net`.
    val_loss : gluon.loss.Loss, or dict of str to Loss, optional
    batch_processor : BatchProcessor, optional
        Processing of each batch.

    Attributes
    ----------
    logger : logging.Logger
        Writes to standard output; add handlers such as ``logging.FileHandler``.
    max_epoch, max_batch : int or None
        Limit of `fit`; one of them is set.
    batches_per_epoch : int or None
        Number of batches in the training data, if known.

    Raises
    ------
    ValueError
        An argument has the wrong type.
    AssertionError
        The device does not exist.

    Examples
    --------
    >>> from opforge import gluon, nd
    >>> class Line(gluon.HybridBlock):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.slope = self.params.get("slope", shape=(1,), init="zeros")
    ...     def hybrid_forward(self, F, x, slope):
    ...         return x * slope
    >>> net = Line()
    >>> net.initialize()
    >>> trainer = gluon.Trainer(net, "sgd", {"learning_rate": 0.2})
    >>> estimator = Estimator(net, gluon.loss.L2Loss(), trainer=trainer)
    >>> estimator.logger.setLevel("ERROR")
    >>> history = estimator.fit(nd.array([1, 2]), nd.array([2, 4]), epochs=20)
    >>> len(history["l2loss"]), round(net.slope.data().asscalar().item(), 3)
    (20, 2.0)
    """

    def __init__(
        self,
        net: Any,
        loss: Loss | Mapping[str, Loss],
        train_metrics: Metrics = None,
        val_metrics: Metrics = None,
        initializer: Any = None,
        trainer: Trainer | None = None,
        context: Context | list[Context] | None = None,
        val_net: Any = None,
        val_loss: Loss | Mapping[str, Loss] | None = None,
        batch_processor: BatchProcessor | None = None,
    ) -> None:
        self.net = net
        self.val_net = net if val_net is None else val_net
        self.loss = expect_loss("loss", loss)
        self.val_loss = self.loss if val_loss is None else expect_loss("val_loss", val_loss)
        self._train_metrics = training_metrics(train_metrics, self.loss)
        self._val_metrics = validation_metrics(val_metrics, self._train_metrics, self.val_loss)
        self.logger = logging.Logger("Estimator", logging.INFO)
        self.logger.addHandler(logging.StreamHandler(sys.stdout))
        self.context = context_list(context)
        initialize(net, initializer, self.context)
        self.trainer = expect_trainer(trainer, net)
        self.batch_processor = expect_processor(batch_processor)
        self.max_epoch: int | None = None
        self.max_batch: int | None = None
        self.batches_per_epoch: int | None = None
        self.batch_axis = 0

    @property
    def train_metrics(self) -> list[EvalMetric]:
        """Training metrics."""
        return self._train_metrics

    @property
    def val_metrics(self) -> list[EvalMetric]:
        """Validation metrics."""
        return self._val_metrics

    # -- the loops ----------------------------------------------------------------------------

    def evaluate(
        self,
        val_data: Any,
        batch_axis: int = 0,
        event_handlers: _Handlers = None,
        batch_size: int = 256,
    ) -> dict[str, float]:
        """Compute `val_metrics` on data; handlers receive the events of epochs and batches.

        Parameters
        ----------
        val_data : DataLoader, Dataset, or tuple of two arrays
            Data and labels.
        batch_axis : int, default 0
            Axis along which a batch is split over contexts.
        event_handlers : EventHandler or list of EventHandler, optional
            A `MetricHandler` and a `LoggingHandler` are added if missing.
        batch_size : int, default 256
            Samples per batch, unless `val_data` is a loader.

        Returns
        -------
        dict of str to float
            Values of the metrics, for instance ``{"val_accuracy": 0.9}``.

        Raises
        ------
        ValueError
            `val_data` is of another type.
        """
        loader = as_loader("evaluate: val_data", val_data, batch_size)
        handlers = self._prepare_default_validation_handlers(event_handlers)
        self._run_validation(loader, batch_axis, handlers)
        return values_of(self.val_metrics)

    def _evaluate_silently(self, val_data: Any, batch_axis: int, event_handlers: Any) -> None:
        """Evaluate without the default log, which a progress bar replaces."""
        handlers = [*handler_list(event_handlers), MetricHandler(self.val_metrics)]
        self._run_validation(val_data, batch_axis, in_order(handlers))

    def _run_validation(self, loader: Any, batch_axis: int, handlers: Sequence[Any]) -> None:
        for metric in self.val_metrics:
            metric.reset()
        _, epoch_begin, batch_begin, batch_end, epoch_end, _ = self._categorize_handlers(handlers)
        for handler in epoch_begin:
            handler.epoch_begin(self)
        for batch in loader:
            for handler in batch_begin:
                handler.batch_begin(self, batch=batch)
            _, label, pred, loss = self.batch_processor.evaluate_batch(self, batch, batch_axis)
            for handler in batch_end:
                handler.batch_end(self, batch=batch, pred=pred, label=label, loss=loss)
        for handler in epoch_end:
            handler.epoch_end(self)

    def fit(
        self,
        train_data: Any,
        val_data: Any = None,
        epochs: int | None = None,
        event_handlers: _Handlers = None,
        batches: int | None = None,
        batch_axis: int = 0,
        *,
        batch_size: int = 32,
        validation_data: Any = None,
    ) -> History:
        """Train for a number of epochs or of batches.

        Parameters
        ----------
        train_data : DataLoader, Dataset, tuple of two arrays, or array
            Data and labels. NDArray, NumPy arrays, data frames and lists are converted to float32,
            and shuffled in each epoch.
        val_data : DataLoader, Dataset or tuple of two arrays, optional
            Data to validate on after each epoch. If `train_data` is an array, its labels:
            ``fit(x, y, epochs=3)``.
        epochs, batches : int
            Duration; pass exactly one of them.
        event_handlers : EventHandler or list of EventHandler, optional
            Handlers that update parameters, metrics and the log are added if missing.
        batch_axis : int, default 0
            Axis along which a batch is split over contexts.
        batch_size : int, default 32
            Samples per batch, unless the data are loaders.
        validation_data : DataLoader, Dataset or tuple of two arrays, optional
            The same as `val_data`, in addition to labels.

        Returns
        -------
        History
            The metrics of each epoch.

        Raises
        ------
        ValueError
            The data are of another type or are empty, not exactly one of `epochs` and `batches`
            is given, or a handler is invalid or uses a metric that is not the Estimator's.
        """
        train, validation = training_loaders(train_data, val_data, validation_data, batch_size)
        if bool(epochs) == bool(batches):
            raise ValueError(
                "fit trains for a number of epochs or of batches: specify one and only one of "
                f"them, got epochs={epochs} and batches={batches}"
            )
        self.max_epoch, self.max_batch, self.batch_axis = epochs, batches, batch_axis
        self.batches_per_epoch = _length(train)
        history = History()
        handlers = self._prepare_default_handlers(validation, event_handlers)
        handlers = in_order([*handlers, HistoryHandler(history, validation is not None)])
        train_begin, *of_epochs, train_end = self._categorize_handlers(handlers)
        run_handlers("train_begin", train_begin, self)
        while not self._fit_epoch(train, *of_epochs):
            pass
        run_handlers("train_end", train_end, self)
        return history

    def _fit_epoch(
        self, data: Any, epoch_begin: Any, batch_begin: Any, batch_end: Any, epoch_end: Any
    ) -> bool:
        """Train for one epoch; return whether a handler stopped the training."""
        run_handlers("epoch_begin", epoch_begin, self)
        batch = None
        for batch in timed_batches(data):
            run_handlers("batch_begin", batch_begin, self, batch=batch)
            _, label, pred, loss = fit_batch(self, batch)
            given = {"batch": batch, "pred": pred, "label": label, "loss": loss}
            if run_handlers("batch_end", batch_end, self, **given):
                break
        is_over = run_handlers("epoch_end", epoch_end, self)
        if batch is None and not is_over and self.max_batch:
            raise ValueError("fit: train_data has no batches; pass data with at least one batch")
        return is_over

    # -- handlers -----------------------------------------------------------------------------

    def _prepare_default_handlers(self, val_data: Any, event_handlers: Any) -> list[Any]:
        added: list[tuple[type, Any]] = [
            (GradientUpdateHandler, GradientUpdateHandler),
            (MetricHandler, lambda: MetricHandler(self.train_metrics)),
        ]
        own = handler_list(event_handlers)
        has_bar = any(isinstance(handler, ProgressBarHandler) for handler in own)
        evaluate = self._evaluate_silently if has_bar else self.evaluate
        if val_data is not None:
            added.append((ValidationHandler, lambda: ValidationHandler(val_data, evaluate)))
        if not has_bar:
            added.append((LoggingHandler, lambda: LoggingHandler(metrics=self.train_metrics)))
        known = [*self.train_metrics, *self.val_metrics]
        return with_defaults(event_handlers, added, known, StoppingHandler())

    def _prepare_default_validation_handlers(self, event_handlers: Any) -> list[Any]:
        added = [
            (MetricHandler, lambda: MetricHandler(self.val_metrics)),
            (LoggingHandler, lambda: LoggingHandler(metrics=self.val_metrics)),
        ]
        return with_defaults(event_handlers, added, self.val_metrics)

    def _categorize_handlers(self, event_handlers: Sequence[Any]) -> tuple[list[Any], ...]:
        """Return a list of handlers for each event, in the order of the events."""
        return tuple([h for h in event_handlers if isinstance(h, kind)] for kind in _EVENTS)


def _length(data: Any) -> int | None:
    try:
        return len(data)
    except TypeError:  # the batch sampler has no length
        return None
