"""Loops over data: `fit`, `score` and `predict`, which use only a module's interface."""

import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from opforge import metric
from opforge import ndarray as nd
from opforge.initializer import Uniform
from opforge.io import DataBatch, DataIter
from opforge.ndarray import NDArray

from ..callback import BatchEndParam

__all__ = ["DEFAULT_INITIALIZER", "Loops"]

#: Default initializer of parameters.
DEFAULT_INITIALIZER = Uniform(0.01)

Callbacks = Callable[..., Any] | Iterable[Callable[..., Any]] | None


class Loops:
    """Methods of `BaseModule` that are implemented with its interface."""

    def forward_backward(self: Any, data_batch: Any) -> None:
        """Compute outputs and gradients for a batch."""
        self.forward(data_batch, is_train=True)
        self.backward()

    def fit(
        self: Any,
        train_data: DataIter,
        eval_data: DataIter | None = None,
        eval_metric: Any = "acc",
        epoch_end_callback: Callbacks = None,
        batch_end_callback: Callbacks = None,
        kvstore: Any = "local",
        optimizer: Any = "sgd",
        optimizer_params: Any = (("learning_rate", 0.01),),
        eval_end_callback: Callbacks = None,
        eval_batch_end_callback: Callbacks = None,
        initializer: Any = DEFAULT_INITIALIZER,
        arg_params: dict[str, NDArray] | None = None,
        aux_params: dict[str, NDArray] | None = None,
        allow_missing: bool = False,
        force_rebind: bool = False,
        force_init: bool = False,
        begin_epoch: int = 0,
        num_epoch: int | None = None,
        validation_metric: Any = None,
        monitor: Any = None,
        sparse_row_id_fn: Any = None,
    ) -> None:
        """Bind, initialize and train.

        Parameters
        ----------
        train_data : DataIter
        eval_data : DataIter, optional
            Validated after each epoch.
        eval_metric : EvalMetric, str, callable or list of them, default "acc"
            Metric during training.
        epoch_end_callback : callable or list of them, optional
            Called as ``callback(epoch, symbol, arg_params, aux_params)``.
        batch_end_callback : callable or list of them, optional
            Called with a `model.BatchEndParam`.
        kvstore, optimizer, optimizer_params
            As in `init_optimizer`.
        eval_end_callback, eval_batch_end_callback : callable or list of them, optional
            Called with a `model.BatchEndParam` after validation, and after each batch of it.
        initializer, arg_params, aux_params, allow_missing, force_init
            As in `init_params`.
        force_rebind : bool, default False
            As in `bind`.
        begin_epoch, num_epoch : int
            Train from epoch `begin_epoch`, default 0, to before `num_epoch`.
        validation_metric : EvalMetric, str, callable or list of them, optional
            Default: `eval_metric`.
        monitor : Monitor, optional
        sparse_row_id_fn : callable, optional
            As in `prepare`.

        Raises
        ------
        AssertionError
            `num_epoch` is missing.
        ValueError
            `train_data` has no batches.
        """
        assert num_epoch is not None, "fit: please specify number of epochs, num_epoch="
        self.bind(
            data_shapes=train_data.provide_data,
            label_shapes=train_data.provide_label,
            for_training=True,
            force_rebind=force_rebind,
        )
        if monitor is not None:
            self.install_monitor(monitor)
        self.init_params(
            initializer=initializer,
            arg_params=arg_params,
            aux_params=aux_params,
            allow_missing=allow_missing,
            force_init=force_init,
        )
        self.init_optimizer(kvstore, optimizer, optimizer_params)
        if validation_metric is None:
            validation_metric = eval_metric
        eval_metric = metric.create(eval_metric)
        for epoch in range(begin_epoch, num_epoch):
            self._begin_epoch(epoch, train_data)
            self._fit_epoch(
                epoch, train_data, eval_metric, batch_end_callback, monitor, sparse_row_id_fn
            )
            # Callbacks may change the parameters that the module uses.
            arg_params, aux_params = self.get_params()
            self.set_params(arg_params, aux_params)
            _call(epoch_end_callback, epoch, self.symbol, arg_params, aux_params)
            if eval_data is not None:
                self._validate(
                    epoch, eval_data, validation_metric, eval_end_callback, eval_batch_end_callback
                )
            self._end_epoch(train_data)

    def _begin_epoch(self: Any, epoch: int, train_data: DataIter) -> None:
        """Prepare an epoch of `fit`, for subclasses."""

    def _end_epoch(self: Any, train_data: DataIter) -> None:
        """Prepare the data for the next epoch of `fit`."""
        train_data.reset()

    def _fit_epoch(
        self: Any,
        epoch: int,
        train_data: DataIter,
        eval_metric: metric.EvalMetric,
        batch_end_callback: Callbacks,
        monitor: Any,
        sparse_row_id_fn: Any,
    ) -> None:
        began = time.perf_counter()
        eval_metric.reset()
        batches = iter(train_data)
        data_batch = next(batches, None)
        if data_batch is None:
            raise ValueError(
                f"fit: {type(train_data).__name__} has no batch in epoch {epoch}; reset it, or "
                "give it more data than one batch"
            )
        values: list[tuple[str, float]] = []
        nbatch = 0
        while data_batch is not None:
            if monitor is not None:
                monitor.tic()
            self.forward_backward(data_batch)
            self.update()
            self.update_metric(eval_metric, data_batch.label)
            next_data_batch = next(batches, None)
            if next_data_batch is not None:
                self.prepare(next_data_batch, sparse_row_id_fn=sparse_row_id_fn)
            if monitor is not None:
                monitor.toc_print()
            if next_data_batch is None:  # before a callback may reset the metric
                values = eval_metric.get_global_name_value()
            if batch_end_callback is not None:
                _call(batch_end_callback, BatchEndParam(epoch, nbatch, eval_metric, locals()))
            data_batch = next_data_batch
            nbatch += 1
        for name, value in values:
            self.logger.info("Epoch[%d] Train-%s=%f", epoch, name, value)
        self.logger.info("Epoch[%d] Time cost=%.3f", epoch, time.perf_counter() - began)

    def _validate(
        self: Any,
        epoch: int,
        eval_data: DataIter,
        validation_metric: Any,
        end_callback: Callbacks,
        batch_end_callback: Callbacks,
    ) -> None:
        values = self.score(
            eval_data,
            validation_metric,
            score_end_callback=end_callback,
            batch_end_callback=batch_end_callback,
            epoch=epoch,
        )
        for name, value in values:
            self.logger.info("Epoch[%d] Validation-%s=%f", epoch, name, value)

    def score(
        self: Any,
        eval_data: DataIter,
        eval_metric: Any,
        num_batch: int | None = None,
        batch_end_callback: Callbacks = None,
        score_end_callback: Callbacks = None,
        reset: bool = True,
        epoch: int = 0,
        sparse_row_id_fn: Any = None,
    ) -> list[tuple[str, float]]:
        """Return the value of a metric for the predictions of all batches.

        Parameters
        ----------
        eval_data : DataIter
        eval_metric : EvalMetric, str, callable or list of them
        num_batch : int, optional
            Stop after this number of batches.
        batch_end_callback, score_end_callback : callable or list of them, optional
            Called with a `model.BatchEndParam`.
        reset : bool, default True
            Reset `eval_data` first.
        epoch : int, default 0
            Epoch passed to the callbacks.
        sparse_row_id_fn : callable, optional
            As in `prepare`.

        Returns
        -------
        list of (str, float)
        """
        eval_metric = metric.create(eval_metric)
        eval_metric.reset()
        nbatch = -1
        for nbatch, eval_batch in self._forward_all(eval_data, num_batch, reset, sparse_row_id_fn):
            self.update_metric(eval_metric, eval_batch.label)
            if batch_end_callback is not None:
                _call(batch_end_callback, BatchEndParam(epoch, nbatch, eval_metric, locals()))
        _call(score_end_callback, BatchEndParam(epoch, nbatch + 1, eval_metric, locals()))
        return eval_metric.get_name_value()

    def _forward_all(
        self: Any, eval_data: DataIter, num_batch: int | None, reset: bool, sparse_row_id_fn: Any
    ) -> Iterator[tuple[int, Any]]:
        """Compute the outputs for each batch; yield its index and the batch."""
        self._require("binded", "params_initialized")
        if reset:
            eval_data.reset()
        for nbatch, eval_batch in enumerate(eval_data):
            if nbatch == num_batch:
                break
            self.prepare(eval_batch, sparse_row_id_fn=sparse_row_id_fn)
            self.forward(eval_batch, is_train=False)
            yield nbatch, eval_batch

    def iter_predict(
        self: Any,
        eval_data: DataIter,
        num_batch: int | None = None,
        reset: bool = True,
        sparse_row_id_fn: Any = None,
    ) -> Iterator[tuple[list[NDArray], int, Any]]:
        """Yield the outputs for each batch without its padding, its number, and the batch.

        Parameters
        ----------
        eval_data : DataIter
        num_batch : int, optional
            Stop after this number of batches.
        reset : bool, default True
            Reset `eval_data` first.
        sparse_row_id_fn : callable, optional
            As in `prepare`.
        """
        for nbatch, eval_batch in self._forward_all(eval_data, num_batch, reset, sparse_row_id_fn):
            pad = eval_batch.pad or 0
            yield [out[: out.shape[0] - pad] for out in self.get_outputs()], nbatch, eval_batch

    def predict(
        self: Any,
        eval_data: DataIter | NDArray | np.ndarray,
        num_batch: int | None = None,
        merge_batches: bool = True,
        reset: bool = True,
        always_output_list: bool = False,
        sparse_row_id_fn: Any = None,
    ) -> Any:
        """Return the outputs for all batches.

        Parameters
        ----------
        eval_data : DataIter, NDArray or numpy.ndarray
            An array is one batch.
        num_batch : int, optional
            Stop after this number of batches.
        merge_batches : bool, default True
            Join the batches; otherwise return a list of outputs for each.
        reset : bool, default True
            Reset `eval_data` first.
        always_output_list : bool, default False
            Return a list even for a single output.
        sparse_row_id_fn : callable, optional
            As in `prepare`.

        Returns
        -------
        NDArray, list of NDArray, or list of lists of NDArray

        Raises
        ------
        ValueError
            `eval_data` is none of these.
        """
        if isinstance(eval_data, NDArray | np.ndarray):
            self._require("binded", "params_initialized")
            self.forward(DataBatch([nd.array(eval_data)]), is_train=False)
            return self.get_outputs()[0]
        if not isinstance(eval_data, DataIter):
            raise ValueError(
                "eval_data must be of type NDArray, numpy.ndarray or DataIter, got "
                f"{type(eval_data).__name__}"
            )
        batches = [
            [out.copy() for out in outputs]
            for outputs, _, _ in self.iter_predict(eval_data, num_batch, reset, sparse_row_id_fn)
        ]
        if not batches or not merge_batches:
            return batches
        assert len({len(outputs) for outputs in batches}) == 1, (
            "Cannot merge batches, as num of outputs is not the same in mini-batches. Maybe "
            "bucketing is used? Pass merge_batches=False"
        )
        merged = [nd.concat(*outputs, dim=0) for outputs in zip(*batches, strict=True)]
        return merged if always_output_list or len(merged) > 1 else merged[0]


def _call(callbacks: Callbacks, *args: Any) -> None:
    """Call one callback or all of several."""
    if callbacks is None:
        return
    for callback in callbacks if isinstance(callbacks, list | tuple) else (callbacks,):
        callback(*args)
