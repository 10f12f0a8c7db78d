"""Executors on several devices for programs with their own training loops.

The older form of `module.executor_group`, under the names of MXNet's `executor_manager`.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from opforge import ndarray as nd
from opforge.base.context import Context, cpu
from opforge.io import DataDesc
from opforge.metric import EvalMetric
from opforge.ndarray import NDArray
from opforge.symbol import Symbol

from .executor_manager import _check_arguments, _load_data, _load_label, _split_input_slice

__all__ = ["DataParallelExecutorGroup", "DataParallelExecutorManager"]


class DataParallelExecutorGroup:
    """A symbol bound on each of several devices.

    Parameters
    ----------
    sym : Symbol
    arg_names : list of str
        ``sym.list_arguments()``.
    param_names : list of str
        Trained parameters.
    ctx : list of Context
    slices : list of slice
        Samples of a batch for each device.
    train_data : DataIter
        Or any object with `provide_data` and `provide_label`.
    shared_group : DataParallelExecutorGroup, optional
        Shares its parameters, their gradients and the auxiliary states.

    Raises
    ------
    ValueError
        Two arguments have the same name.
    """

    def __init__(
        self,
        sym: Symbol,
        arg_names: Sequence[str],
        param_names: Sequence[str],
        ctx: Sequence[Context],
        slices: Sequence[slice],
        train_data: Any,
        shared_group: "DataParallelExecutorGroup | None" = None,
    ) -> None:
        _check_arguments(sym)
        data, label = ([*map(_describe, d)] for d in _data_and_labels(train_data))
        self.data_names, self.label_names = [d.name for d in data], [d.name for d in label]
        self.aux_names = sym.list_auxiliary_states()
        self.param_idx = [i for i, name in enumerate(arg_names) if name in param_names]
        self.param_names = [arg_names[i] for i in self.param_idx]
        self.slices = slices
        shared = [None] * len(ctx) if shared_group is None else shared_group.train_execs
        self.train_execs: list[Any] = [
            _bind(sym, context, part, data + label, self.param_names, first)
            for context, part, first in zip(ctx, slices, shared, strict=True)
        ]
        self.data_arrays, self.label_arrays = (
            [[(part, e.arg_dict[name]) for part, e in self._parts()] for name in names]
            for names in (self.data_names, self.label_names)
        )
        self.param_arrays, self.grad_arrays = (
            [[getattr(e, which)[i] for e in self.train_execs] for i in self.param_idx]
            for which in ("arg_arrays", "grad_arrays")
        )
        self.aux_arrays = [
            [e.aux_arrays[i] for e in self.train_execs] for i in range(len(self.aux_names))
        ]

    def _parts(self) -> list[tuple[slice, Any]]:
        return list(zip(self.slices, self.train_execs, strict=True))

    def load_data_batch(self, data_batch: Any) -> None:
        """Copy the data and the labels of a batch to the devices."""
        _load_data(data_batch, self.data_arrays)
        _load_label(data_batch, self.label_arrays)

    def forward(self, is_train: bool = False) -> None:
        """Compute the outputs on each device."""
        for executor in self.train_execs:
            executor.forward(is_train=is_train)

    def backward(self) -> None:
        """Compute the gradients on each device."""
        for executor in self.train_execs:
            executor.backward()

    def update_metric(self, metric: EvalMetric, labels: Any, pre_sliced: bool = False) -> None:
        """Update a metric with the outputs.

        Parameters
        ----------
        metric : EvalMetric
        labels : list of NDArray
            Of the whole batch; with `pre_sliced` a list of them for each device.
        pre_sliced : bool, default False
        """
        for device, (part, executor) in enumerate(self._parts()):
            own = labels[device] if pre_sliced else [label[part] for label in labels]
            metric.update(own, executor.outputs)


class DataParallelExecutorManager:
    """Executors of a symbol, or of the symbols of all buckets, on several devices.

    Parameters
    ----------
    symbol : Symbol
    ctx : list of Context
    train_data : DataIter
        With the bucket key `default_bucket_key` if there is a `sym_gen`.
    arg_names, param_names, aux_names : list of str
        Arguments, trained parameters and auxiliary states of the symbol.
    work_load_list : list of number, optional
        Share of each device.
    logger : logging.Logger, optional
    sym_gen : callable, optional
        ``sym_gen(bucket_key)`` returns the symbol of another bucket.

    Examples
    --------
    >>> import opforge as mx
    >>> net = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=1, name="fc")
    >>> batches = mx.io.NDArrayIter(mx.nd.ones((4, 2)), batch_size=4)
    >>> names = net.list_arguments()
    >>> manager = DataParallelExecutorManager(
    ...     net, [mx.cpu(0), mx.cpu(1)], batches, names, ["fc_weight", "fc_bias"], []
    ... )
    >>> manager.load_data_batch(next(batches))
    >>> manager.forward()
    >>> [executor.outputs[0].shape for executor in manager.curr_execgrp.train_execs]
    [(2, 1), (2, 1)]
    """

    def __init__(
        self,
        symbol: Symbol,
        ctx: Sequence[Context],
        train_data: Any,
        arg_names: Sequence[str],
        param_names: Sequence[str],
        aux_names: Sequence[str],
        work_load_list: list[float] | None = None,
        logger: Any = None,
        sym_gen: Callable[[Any], Symbol] | None = None,
    ) -> None:
        (logger or logging).info("Start training with %s", str(ctx))
        shares = [1] * len(ctx) if work_load_list is None else work_load_list
        assert isinstance(shares, list) and len(shares) == len(ctx), (
            f"Invalid settings for work load: got {shares!r} for {len(ctx)} devices"
        )
        self.slices = _split_input_slice(train_data.batch_size, shares)
        self.arg_names, self.param_names, self.aux_names = arg_names, param_names, aux_names
        self.ctx, self.symbol, self.sym_gen = ctx, symbol, sym_gen
        self.execgrp = self._group(symbol, train_data)
        #: The group of the last batch.
        self.curr_execgrp: Any = None
        if sym_gen is not None:
            self.execgrp_bucket = {train_data.default_bucket_key: self.execgrp}

    def _group(self, symbol: Symbol, data: Any, shared: Any = None) -> DataParallelExecutorGroup:
        names = self.arg_names, self.param_names
        return DataParallelExecutorGroup(symbol, *names, self.ctx, self.slices, data, shared)

    def install_monitor(self, monitor: Any) -> None:
        """Install a `Monitor` on all executors; not implemented for buckets."""
        if self.sym_gen is not None:
            raise NotImplementedError("Monitoring is not implemented for bucketing")
        for executor in self.execgrp.train_execs:
            monitor.install(executor)

    def set_params(
        self, arg_params: Mapping[str, NDArray], aux_params: Mapping[str, NDArray]
    ) -> None:
        """Copy parameters and auxiliary states by name to all devices."""
        for executor in self.execgrp.train_execs:
            executor.copy_params_from(arg_params, aux_params)

    def copy_to(self, arg_params: Mapping[str, NDArray], aux_params: Mapping[str, NDArray]) -> None:
        """Overwrite arrays by name with the parameters and auxiliary states.

        Each is the mean of those of the devices.
        """
        for names, arrays, targets in (
            (self.param_names, self.param_arrays, arg_params),
            (self.aux_names, self.aux_arrays, aux_params),
        ):
            for name, copies in zip(names, arrays, strict=False):
                mean = sum(copy.copyto(cpu()) for copy in copies) / len(copies)
                mean.astype(targets[name].dtype).copyto(targets[name])

    @property
    def param_arrays(self) -> list[list[NDArray]]:
        """Parameters, a list for each with its arrays on the devices."""
        return self.execgrp.param_arrays

    @property
    def grad_arrays(self) -> list[list[NDArray]]:
        """Gradients of the parameters, in their order."""
        return self.execgrp.grad_arrays

    @property
    def aux_arrays(self) -> list[list[NDArray]]:
        """Auxiliary states."""
        return self.execgrp.aux_arrays

    def load_data_batch(self, data_batch: Any) -> None:
        """Copy a batch to the devices; bind the symbol of a new bucket."""
        self.curr_execgrp = self.execgrp
        if self.sym_gen is not None:
            key = data_batch.bucket_key
            if key not in self.execgrp_bucket:
                group = self._group(self.sym_gen(key), data_batch, self.execgrp)
                self.execgrp_bucket[key] = group
            self.curr_execgrp = self.execgrp_bucket[key]
        self.curr_execgrp.load_data_batch(data_batch)

    def forward(self, is_train: bool = False) -> None:
        """Compute the outputs of the last batch."""
        self.curr_execgrp.forward(is_train=is_train)

    def backward(self) -> None:
        """Compute the gradients of the last batch."""
        self.curr_execgrp.backward()

    def update_metric(self, metric: EvalMetric, labels: Any, pre_sliced: bool = False) -> None:
        """Update a metric with the outputs, as `DataParallelExecutorGroup.update_metric`."""
        self.curr_execgrp.update_metric(metric, labels, pre_sliced)


def _data_and_labels(train_data: Any) -> tuple[Sequence[Any], Sequence[Any]]:
    return train_data.provide_data, train_data.provide_label


def _describe(item: Any) -> DataDesc:
    return item if isinstance(item, DataDesc) else DataDesc(*item)


def _bind(
    sym: Symbol,
    context: Context,
    part: slice,
    inputs: Sequence[DataDesc],
    param_names: Sequence[str],
    shared: Any,
) -> Any:
    """Return an executor for a part of a batch; `shared` has its parameters."""
    size = part.stop - part.start
    shapes, _, aux_shapes = sym.infer_shape(**{d.name: (size, *d.shape[1:]) for d in inputs})
    types, _, aux_types = sym.infer_type(**{d.name: d.dtype for d in inputs})
    names, data_names = sym.list_arguments(), {d.name for d in inputs}
    args, grads = {}, {}
    for name, shape, dtype in zip(names, shapes, types, strict=True):
        is_shared = shared is not None and name in param_names
        args[name] = shared.arg_dict[name] if is_shared else nd.zeros(shape, context, dtype)
        if name not in data_names:
            grads[name] = shared.grad_dict[name] if is_shared else nd.zeros(shape, context, dtype)
    if shared is None:
        pairs = zip(aux_shapes, aux_types, strict=True)
        states = [nd.zeros(shape, context, dtype) for shape, dtype in pairs]
    else:
        states = shared.aux_arrays
    requests = {name: "write" if name in grads else "null" for name in names}
    return sym.bind(context, args, grads, requests, states, shared_exec=shared)
