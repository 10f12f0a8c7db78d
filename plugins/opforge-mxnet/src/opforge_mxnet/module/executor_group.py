"""`DataParallelExecutorGroup`: the executors of a module, one for each device.

A batch is divided among them along the axis of its samples; each has its own copy of the
parameters.
"""

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from opforge.base.context import Context
from opforge.io import DataDesc
from opforge.ndarray import NDArray
from opforge.symbol import Symbol

from ..executor_manager import _split_input_slice
from ..names import add_names as _add_names
from .bound import BoundSymbol
from .dividing import described_part, groups_of_devices, joined, samples
from .gradient_requests import gradient_requests
from .group_arrays import GroupArrays
from .inputs import by_name, describe_batch, described, same_batch_size

__all__ = ["DataParallelExecutorGroup"]


class DataParallelExecutorGroup(GroupArrays):
    """A symbol bound on one or several devices, each of which computes a part of every batch.

    Parameters
    ----------
    symbol : Symbol
    contexts : list of Context
    workload : list of number or None
        Share of each device; None: equal shares.
    data_shapes, label_shapes : list of DataDesc or of (name, shape)
        Shapes of entire batches; the labels may be None.
    param_names : list of str
        Arguments that are not inputs.
    for_training : bool
        Whether to compute gradients.
    inputs_need_grad : bool
        Whether to compute gradients of the data.
    shared_group : DataParallelExecutorGroup, optional
        Shares its parameters, their gradients and the auxiliary states.
    logger
        Accepted for compatibility with MXNet.
    fixed_param_names : list of str, optional
        Parameters without gradients.
    grad_req : {"write", "add", "null"}, or a list or dict of them
    state_names : list of str, optional
        Arguments that `set_states` sets.
    group2ctxs : list or dict, optional
        Context of the arrays of variables by their attribute ``ctx_group``.

    Attributes
    ----------
    execs : list of Executor
        Executors for the current shapes, one per device.
    slices : list of slice
        Samples of a batch for each device.
    batch_size : int
    data_shapes, label_shapes : list of DataDesc
        Current shapes of entire batches.
    grad_req : dict of str to str
        What to do with the gradient of each argument.

    Raises
    ------
    ValueError
        There are fewer samples than devices.
    AssertionError
        Inputs have different numbers of samples.

    Examples
    --------
    >>> from opforge import cpu, io, nd, sym
    >>> twice = sym.var("data") * 2
    >>> group = DataParallelExecutorGroup(
    ...     twice, [cpu(0), cpu(1)], None, [("data", (3, 1))], None, [], False, False
    ... )
    >>> group.forward(io.DataBatch([nd.array([[1], [2], [3]])]))
    >>> [part.shape for part in group.get_outputs(merge_multi_context=False)[0]]
    [(2, 1), (1, 1)]
    >>> group.get_outputs()[0].asnumpy().tolist()
    [[2.0], [4.0], [6.0]]
    """

    def __init__(
        self,
        symbol: Symbol,
        contexts: Sequence[Context],
        workload: Sequence[float] | None,
        data_shapes: Any,
        label_shapes: Any,
        param_names: Sequence[str],
        for_training: bool,
        inputs_need_grad: bool,
        shared_group: "DataParallelExecutorGroup | None" = None,
        logger: Any = logging,
        fixed_param_names: Sequence[str] | None = None,
        grad_req: Any = "write",
        state_names: Sequence[str] | None = None,
        group2ctxs: Any = None,
    ) -> None:
        self.symbol = symbol
        self.contexts = list(contexts)
        self.workload = list(workload or [1] * len(self.contexts))
        self.param_names, self.state_names = list(param_names), list(state_names or ())
        self.arg_names = symbol.list_arguments()
        self.aux_names = symbol.list_auxiliary_states()
        self.output_names = symbol.list_outputs()
        self.output_layouts = [DataDesc.get_batch_axis(out.attr("__layout__")) for out in symbol]
        self.for_training, self.inputs_need_grad = for_training, inputs_need_grad
        data = [described(shape) for shape in data_shapes]
        label = None if label_shapes is None else [described(shape) for shape in label_shapes]
        self._describe(data, label)
        #: Kept when a batch has no labels.
        self.label_names = [desc.name for desc in label or ()]
        self.grad_req = gradient_requests(
            self.arg_names,
            set(self.param_names) - set(fixed_param_names or ()),
            [desc.name for desc in data] if inputs_need_grad else (),
            grad_req if for_training else "null",
        )
        groups = groups_of_devices(group2ctxs, len(self.contexts))
        self._parts = []
        for place, (context, part) in enumerate(zip(self.contexts, self.slices, strict=True)):
            data, label = self._part_shapes(part)
            shared = None if shared_group is None else shared_group._parts[place]
            self._parts.append(
                BoundSymbol(
                    symbol,
                    context,
                    self.param_names,
                    data,
                    label,
                    self.grad_req,
                    groups[place],
                    shared,
                )
            )

    # -- shapes -------------------------------------------------------------------------------

    def _describe(self, data: list[DataDesc], label: list[DataDesc] | None) -> None:
        inputs = [*data, *(label or ())]
        axes = self.decide_slices(inputs)
        self._axes = {desc.name: axis for desc, axis in zip(inputs, axes, strict=True)}
        self.data_shapes, self.label_shapes = data, label

    def _part_shapes(self, part: slice) -> tuple[list[DataDesc], list[DataDesc] | None]:
        data = [described_part(desc, part) for desc in self.data_shapes]
        if self.label_shapes is None:
            return data, None
        return data, [described_part(desc, part) for desc in self.label_shapes]

    def reshape(self, data_shapes: list[DataDesc], label_shapes: list[DataDesc] | None) -> None:
        """Change the shapes of batches.

        Parameters
        ----------
        data_shapes : list of DataDesc
        label_shapes : list of DataDesc or None

        Raises
        ------
        ShapeError
            A parameter would have another shape.
        """
        self._describe(data_shapes, label_shapes)
        for bound, part in zip(self._parts, self.slices, strict=True):
            bound.reshape(*self._part_shapes(part))

    def decide_slices(self, data_shapes: Sequence[Any]) -> list[int]:
        """Divide the samples of batches among the devices, and return each input's batch axis.

        Parameters
        ----------
        data_shapes : list of DataDesc

        Raises
        ------
        AssertionError
            Batch sizes differ.
        """
        self.batch_size = same_batch_size(data_shapes)
        self.slices = _split_input_slice(self.batch_size, self.workload)
        return [DataDesc.get_batch_axis(desc.layout) for desc in data_shapes]

    def bind_exec(
        self,
        data_shapes: list[DataDesc],
        label_shapes: list[DataDesc] | None,
        shared_group: "DataParallelExecutorGroup | None" = None,
        reshape: bool = False,
    ) -> None:
        """Change the shapes of batches, as `reshape`; the executors are bound already.

        Parameters
        ----------
        data_shapes, label_shapes
            As in `reshape`.
        shared_group : DataParallelExecutorGroup, optional
            Not used; parameters remain shared with the same group.
        reshape : bool
            Must be True.
        """
        assert reshape, "bind_exec: the executors are bound; pass reshape=True"
        self.reshape(data_shapes, label_shapes)

    def get_output_shapes(self) -> list[tuple[str, tuple[int, ...]]]:
        """Return the names and shapes of the outputs for entire batches."""
        shapes = []
        for place, (name, axis) in enumerate(
            zip(self.output_names, self.output_layouts, strict=True)
        ):
            shape = list(self.execs[0].outputs[place].shape)
            if axis >= 0:
                shape[axis] = sum(one.outputs[place].shape[axis] for one in self.execs)
            shapes.append((name, tuple(shape)))
        return shapes

    # -- computing ----------------------------------------------------------------------------

    def _split_by_device(self, arrays: Sequence[Any], axes: Sequence[int]) -> list[list[Any]]:
        """Return each device's samples of arrays; None stays None."""
        divided = []
        for part in self.slices:
            own = []
            for array, axis in zip(arrays, axes, strict=False):
                own.append(samples(array, axis, part))
            divided.append(own)
        return divided

    def forward(self, data_batch: Any, is_train: bool | None = None) -> None:
        """Copy a batch of any shape into the devices' inputs and compute the outputs.

        Parameters
        ----------
        data_batch : DataBatch
        is_train : bool, optional
            Default: as it was bound.
        """
        inputs = by_name("data", self.data_shapes, data_batch.data)
        for desc in self.data_shapes:
            if desc.shape != inputs[desc.name].shape:
                self.reshape(*describe_batch(data_batch, self.data_shapes, self.label_names))
                break
        labels = getattr(data_batch, "label", None)
        if self.label_shapes and labels:
            for name, array in by_name("label", self.label_shapes, labels).items():
                if name in self.arg_names:
                    inputs[name] = array
        train = self.for_training if is_train is None else is_train
        for bound, part in zip(self._parts, self.slices, strict=True):
            own = {}
            for name, array in inputs.items():
                own[name] = samples(array, self._axes[name], part)
            bound.executor.forward(train, **own)

    def backward(self, out_grads: Any = None) -> None:
        """Compute the gradients for the last batch on all devices.

        Parameters
        ----------
        out_grads : NDArray, list or dict of NDArray, optional
            Gradients of the joined outputs; a loss needs none.
        """
        assert self.for_training, "re-bind with for_training=True to run backward"
        if out_grads is None:
            for bound in self._parts:
                bound.executor.backward()
            return
        if isinstance(out_grads, Mapping):
            out_grads = [out_grads.get(name) for name in self.output_names]
        elif not isinstance(out_grads, list | tuple):
            out_grads = [out_grads]
        for one, grads in zip(
            self.execs, self._split_by_device(out_grads, self.output_layouts), strict=True
        ):
            one.backward(grads)

    def get_outputs(
        self, merge_multi_context: bool = True, begin: int = 0, end: int | None = None
    ) -> Any:
        """Return the outputs for the last batch; the next one overwrites them.

        Parameters
        ----------
        merge_multi_context : bool, default True
            Join the outputs of the devices; otherwise each is a list with one entry per device.
        begin, end : int
            Range of outputs; default: all.
        """
        outputs = [
            list(copies) for copies in zip(*(one.outputs for one in self.execs), strict=True)
        ]
        return self._merge_contexts(outputs, self.output_layouts, merge_multi_context)[begin:end]

    def get_input_grads(self, merge_multi_context: bool = True) -> Any:
        """Return the gradients of the data of the last batch.

        Parameters
        ----------
        merge_multi_context : bool, default True
            As in `get_outputs`.
        """
        assert self.inputs_need_grad, "re-bind with inputs_need_grad=True"
        axes = [self._axes[desc.name] for desc in self.data_shapes]
        return self._merge_contexts(self.input_grad_arrays, axes, merge_multi_context)

    @staticmethod
    def _merge_contexts(arrays: list[list[NDArray]], axes: Sequence[int], is_joined: bool) -> Any:
        if not is_joined:
            return arrays
        return [joined(copies, axis) for copies, axis in zip(arrays, axes, strict=True)]

    def update_metric(self, eval_metric: Any, labels: Any, pre_sliced: bool = False) -> None:
        """Update a metric with the last outputs; see `Module.update_metric`."""
        if not pre_sliced:
            axes = [self._axes.get(name, 0) for name in self.label_names]
            labels = self._split_by_device(labels, axes)
        for bound, some in zip(self._parts, labels, strict=True):
            named = dict(zip(self.label_names, some, strict=False))
            eval_metric.update_dict(named, bound.executor.output_dict)

    def install_monitor(self, mon: Any) -> None:
        """Install a `Monitor` on the executors, including those for other shapes."""
        for bound in self._parts:
            bound.install_monitor(mon)


_add_names(__name__)
