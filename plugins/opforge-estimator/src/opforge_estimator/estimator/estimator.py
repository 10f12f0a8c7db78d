"""`Estimator`: trains and evaluates a network, extended by event handlers."""

import logging
import sys
from collections.abc import Sequence
from typing import Any

from opforge.plugin_api import EvalMetric, Loss, Trainer
from opforge.plugin_api import context as _context
from opforge.plugin_api import data as _data

from .arguments import (
    context_list,
    expect_loader,
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
from .logging_handler import LoggingHandler
from .measuring import MetricHandler, ValidationHandler
from .metrics import expect_known, training_metrics, validation_metrics
from .stopping import StoppingHandler

__all__ = ["Estimator"]

Context = _context.Context
DataLoader = _data.DataLoader

_Handlers = EventHandler | Sequence[EventHandler] | None
_Metrics = EvalMetric | Sequence[EvalMetric] | None

#: Kinds of handlers, in the order of training events.
_EVENTS = (TrainBegin, EpochBegin, BatchBegin, BatchEnd, EpochEnd, TrainEnd)


class Estimator:
    """Training loop of a network on a `DataLoader`.

    Parameters
    ----------
    net : Block
    loss : gluon.loss.Loss
    train_metrics, val_metrics : EvalMetric or list of EvalMetric, optional
        Metrics of training and validation. Default: the loss, also the accuracy with
        `SoftmaxCrossEntropyLoss`; for validation, copies of the training metrics.
    initializer : Initializer, optional
        For parameters that are not initialized yet.
    trainer : Trainer, optional
        Default: SGD with a learning rate of 0.001.
    context : Context or list of Context, optional
        Devices; batches are split over several.
    val_net : Block, optional
        Network for validation, which usually shares the parameters of `net`.
    val_loss : gluon.loss.Loss, optional
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
    >>> data = gluon.data.ArrayDataset(nd.array([1, 2]), nd.array([2, 4]))
    >>> net = Line()
    >>> net.initialize()
    >>> trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.2})
    >>> estimator = Estimator(net, gluon.loss.L2Loss(), trainer=trainer)
    >>> estimator.logger.setLevel("ERROR")
    >>> estimator.fit(gluon.data.DataLoader(data, batch_size=2), epochs=20)
    >>> round(net.slope.data().asscalar().item(), 3)
    2.0
    """

    def __init__(
        self,
        net: Any,
        loss: Loss,
        train_metrics: _Metrics = None,
        val_metrics: _Metrics = None,
        initializer: Any = None,
        trainer: Trainer | None = None,
        context: Context | list[Context] | None = None,
        val_net: Any = None,
        val_loss: Loss | None = None,
        batch_processor: BatchProcessor | None = None,
    ) -> None:
        self.net = net
        self.val_net = net if val_net is None else val_net
        self.loss = expect_loss("loss", loss)
        self.val_loss = self.loss if val_loss is None else expect_loss("val_loss", val_loss)
        self._train_metrics = training_metrics(train_metrics, self.loss)
        self._val_metrics = validation_metrics(val_metrics, self._train_metrics)
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
        self, val_data: DataLoader, batch_axis: int = 0, event_handlers: _Handlers = None
    ) -> None:
        """Compute `val_metrics` on data; handlers receive the events of epochs and batches.

        Parameters
        ----------
        val_data : DataLoader
        batch_axis : int, default 0
            Axis along which a batch is split over contexts.
        event_handlers : EventHandler or list of EventHandler, optional
            A `MetricHandler` and a `LoggingHandler` are added if missing.

        Raises
        ------
        ValueError
            `val_data` is not a `DataLoader`.
        """
        expect_loader("evaluate", "val_data", val_data)
        for metric in self.val_metrics:
            metric.reset()
        handlers = self._prepare_default_validation_handlers(event_handlers)
        _, epoch_begin, batch_begin, batch_end, epoch_end, _ = self._categorize_handlers(handlers)
        for handler in epoch_begin:
            handler.epoch_begin(self)
        for batch in val_data:
            for handler in batch_begin:
                handler.batch_begin(self, batch=batch)
            _, label, pred, loss = self.batch_processor.evaluate_batch(self, batch, batch_axis)
            for handler in batch_end:
                handler.batch_end(self, batch=batch, pred=pred, label=label, loss=loss)
        for handler in epoch_end:
            handler.epoch_end(self)

    def fit(
        self,
        train_data: DataLoader,
        val_data: DataLoader | None = None,
        epochs: int | None = None,
        event_handlers: _Handlers = None,
        batches: int | None = None,
        batch_axis: int = 0,
    ) -> None:
        """Train for a number of epochs or of batches.

        Parameters
        ----------
        train_data : DataLoader
        val_data : DataLoader, optional
            Data to validate on after each epoch.
        epochs, batches : int
        Duration; pass exactly one of them.
        event_handlers : EventHandler or list of EventHandler, optional
            Handlers that update parameters, metrics and the log are added if missing.
        batch_axis : int, default 0
            Axis along which a batch is split over contexts.

        Raises
        ------
        ValueError
            The data are not a `DataLoader` or are empty, not exactly one of `epochs` and `batches`
            is given, or a handler is invalid or uses a metric that is not the Estimator's.
        """
        expect_loader("fit", "train_data", train_data)
        if bool(epochs) == bool(batches):
            raise ValueError(
                "fit trains for a number of epochs or of batches: specify one and only one of "
                f"them, got epochs={epochs} and batches={batches}"
            )
        self.max_epoch, self.max_batch, self.batch_axis = epochs, batches, batch_axis
        self.batches_per_epoch = _length(train_data)
        handlers = self._prepare_default_handlers(val_data, event_handlers)
        train_begin, *of_epochs, train_end = self._categorize_handlers(handlers)
        for handler in train_begin:
            handler.train_begin(self)
        while not self._fit_epoch(train_data, *of_epochs):
            pass
        for handler in train_end:
            handler.train_end(self)

    def _fit_epoch(
        self, data: Any, epoch_begin: Any, batch_begin: Any, batch_end: Any, epoch_end: Any
    ) -> bool:
        """Train for one epoch; return whether a handler stopped the training."""
        for handler in epoch_begin:
            handler.epoch_begin(self)
        batch = None
        for batch in data:
            for handler in batch_begin:
                handler.batch_begin(self, batch=batch)
            _, label, pred, loss = self.batch_processor.fit_batch(self, batch, self.batch_axis)
            given = {"batch": batch, "pred": pred, "label": label, "loss": loss}
            # Every handler is called, even if an earlier one ends the epoch.
            if any([handler.batch_end(self, **given) for handler in batch_end]):
                break
        is_over = any([handler.epoch_end(self) for handler in epoch_end])
        if batch is None and not is_over and self.max_batch:
            raise ValueError("fit: train_data has no batches; pass data with at least one batch")
        return is_over

    # -- handlers -----------------------------------------------------------------------------

    def _prepare_default_handlers(self, val_data: Any, event_handlers: Any) -> list[Any]:
        added: list[tuple[type, Any]] = [
            (GradientUpdateHandler, GradientUpdateHandler),
            (MetricHandler, lambda: MetricHandler(self.train_metrics)),
        ]
        if val_data is not None:
            added.append((ValidationHandler, lambda: ValidationHandler(val_data, self.evaluate)))
        added.append((LoggingHandler, lambda: LoggingHandler(metrics=self.train_metrics)))
        known = [*self.train_metrics, *self.val_metrics]
        return _with_defaults(event_handlers, added, known, StoppingHandler())

    def _prepare_default_validation_handlers(self, event_handlers: Any) -> list[Any]:
        added = [
            (MetricHandler, lambda: MetricHandler(self.val_metrics)),
            (LoggingHandler, lambda: LoggingHandler(metrics=self.val_metrics)),
        ]
        return _with_defaults(event_handlers, added, self.val_metrics)

    def _categorize_handlers(self, event_handlers: Sequence[Any]) -> tuple[list[Any], ...]:
        """Return a list of handlers for each event, in the order of the events."""
        return tuple([h for h in event_handlers if isinstance(h, kind)] for kind in _EVENTS)


def _with_defaults(
    given: Any, defaults: Any, known: Sequence[EvalMetric], *always: EventHandler
) -> list[Any]:
    """Return the user's handlers and a default handler of each missing kind, in order.

    User and default handlers in one training must use the same metrics.
    """
    own = handler_list(given)
    missing = [
        make() for kind, make in defaults if not any(isinstance(handler, kind) for handler in own)
    ]
    handlers = [*own, *always, *missing]
    if own and len(handlers) > len(own):
        for handler in handlers:
            expect_known(handler, known)
    return sorted(handlers, key=lambda handler: getattr(handler, "priority", 0))


def _length(data: Any) -> int | None:
    try:
        return len(data)
    except TypeError:  # the batch sampler has no length
        return None
