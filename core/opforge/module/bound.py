"""`BoundSymbol`: the executor of a module, for the shapes of the batch that comes."""

from collections.abc import Mapping, Sequence
from typing import Any

from .. import ndarray as nd
from ..base.config import graph_limit
from ..base.context import Context
from ..base.dtypes import DTYPES
from ..base.errors import ShapeError
from ..base.recency import Recent
from ..io import DataDesc
from ..ndarray import NDArray
from ..op.declaring.inference import UNKNOWN_TYPE
from ..symbol import Symbol
from ..symbol.declared import declared_type
from .inputs import describe_data, describe_labels, same_batch_size

__all__ = ["BoundSymbol"]


class BoundSymbol:
    """A symbol with its arrays; parameters stay the same arrays when the shapes of inputs change.

    Parameters
    ----------
    symbol : Symbol
    context : Context
    param_names : list of str
        The arguments that are no inputs.
    data : list of DataDesc
    label : list of DataDesc or None
    requests : dict of str to {"write", "add", "null"}
        What to do with the gradient of each argument.
    shared : BoundSymbol, optional
        Whose parameters, gradients of parameters and auxiliary states are used.

    Attributes
    ----------
    executor : Executor
        The one for the current shapes.
    data, label : list of DataDesc
        The current shapes.
    batch_size : int

    Raises
    ------
    ValueError
        `shared` lacks a parameter.
    ShapeError
        Shapes contradict each other.
    """

    def __init__(
        self,
        symbol: Symbol,
        context: Context,
        param_names: Sequence[str],
        data: list[DataDesc],
        label: list[DataDesc] | None,
        requests: Mapping[str, str],
        shared: "BoundSymbol | None" = None,
    ) -> None:
        self.symbol = symbol
        self._context = context
        self._param_names = param_names
        self._requests = dict(requests)
        self._arguments = symbol.list_arguments()
        self._monitor: Any = None
        self._describe(data, label)
        self.label_names = [desc.name for desc in label or ()]
        self.executor = self._bind(shared)
        #: Of the first shapes; it has the parameters, and inputs of others share its memory.
        self._first = self.executor
        self._kept: Recent[Any, Any] = Recent(graph_limit())
        self._kept.put(self._key(), self.executor, 0)

    def _describe(self, data: list[DataDesc], label: list[DataDesc] | None) -> None:
        self.batch_size = same_batch_size([*data, *(label or ())])
        self.data, self.label = data, label

    def _inputs(self) -> list[DataDesc]:
        """Return the data, and the labels that the symbol uses: some are for the metric only."""
        labels = [desc for desc in self.label or () if desc.name in self._arguments]
        return [*self.data, *labels]

    def _key(self) -> Any:
        return tuple(self._shapes().items())

    def _shapes(self) -> dict[str, tuple[int, ...]]:
        return {desc.name: tuple(desc.shape) for desc in self._inputs()}

    # -- binding ------------------------------------------------------------------------------

    def _bind(self, shared: "BoundSymbol | None") -> Any:
        shapes, types = self._shapes(), self._types()
        if shared is None:
            return self.symbol.simple_bind(
                self._context, grad_req=self._requests, type_dict=types, **shapes
            )
        arg_shapes, _, aux_shapes = self.symbol.infer_shape(**shapes)
        arg_types, _, _ = self.symbol.infer_type(**types)
        args, grads = {}, {}
        for name, shape, dtype in zip(self._arguments, arg_shapes, arg_types, strict=True):
            is_param = name in self._param_names
            args[name] = (
                _shared(shared.executor.arg_dict, name, shape)
                if is_param
                else nd.zeros(shape, self._context, dtype)
            )
            if self._requests[name] != "null":
                grad = shared.executor.grad_dict.get(name) if is_param else None
                grads[name] = nd.zeros_like(args[name]) if grad is None else grad
        names = self.symbol.list_auxiliary_states()
        states = {
            name: _shared(shared.executor.aux_dict, name, shape)
            for name, shape in zip(names, aux_shapes, strict=True)
        }
        return self.symbol.bind(
            self._context, args, grads, self._requests, states, shared_exec=shared.executor
        )

    def _types(self) -> dict[str, Any]:
        """Return the types of the inputs; what the symbol says of the data comes first."""
        types = {desc.name: desc.dtype for desc in self._inputs()}
        said = {node.name: declared_type(node).code for node in self.symbol.argument_nodes()}
        for desc in self.data:
            if said.get(desc.name, UNKNOWN_TYPE) != UNKNOWN_TYPE:
                types[desc.name] = DTYPES[said[desc.name]]
        return types

    def reshape(self, data: list[DataDesc], label: list[DataDesc] | None) -> None:
        """Compute for inputs of other shapes from now on.

        Parameters
        ----------
        data : list of DataDesc
        label : list of DataDesc or None

        Raises
        ------
        ShapeError
            A parameter would have another shape.
        """
        self._describe(data, label)
        known = self._kept.get(self._key())
        if known is not None:
            self.executor = known
            return
        inputs = self._all_inputs(self._shapes())
        self.executor = self._first.reshape(allow_up_sizing=True, **inputs)
        self._kept.put(self._key(), self.executor, self.nbytes)
        if self._monitor is not None:
            self._watch(self._monitor)

    def _all_inputs(self, shapes: dict[str, tuple[int, ...]]) -> dict[str, tuple[int, ...]]:
        """Return the shapes of all inputs: also of labels that did not come."""
        arg_shapes, _, _ = self.symbol.infer_shape(**shapes)
        if arg_shapes is None:
            return shapes
        for name, shape in zip(self._arguments, arg_shapes, strict=True):
            if name not in self._param_names:
                shapes = {**shapes, name: tuple(shape)}
            elif tuple(shape) != self.executor.arg_dict[name].shape:
                raise ShapeError(
                    f"Module: with inputs of shapes {shapes} the parameter '{name}' would have "
                    f"shape {tuple(shape)}, it has {self.executor.arg_dict[name].shape}. Pass data "
                    "that differ in the number of samples only, or bind another module"
                )
        return shapes

    # -- computing ----------------------------------------------------------------------------

    def forward(self, data_batch: Any, is_train: bool) -> None:
        """Copy a batch into the inputs, of whatever shape, and compute the outputs.

        Parameters
        ----------
        data_batch : DataBatch
        is_train : bool
        """
        inputs = _by_name("data", self.data, data_batch.data)
        if any(desc.shape != inputs[desc.name].shape for desc in self.data):
            self.reshape(*self._describe_batch(data_batch))
        labels = getattr(data_batch, "label", None)
        if self.label and labels:
            found = _by_name("label", self.label, labels)
            inputs |= {name: a for name, a in found.items() if name in self._arguments}
        self.executor.forward(is_train=is_train, **inputs)

    def _describe_batch(self, data_batch: Any) -> tuple[list[DataDesc], list[DataDesc] | None]:
        """Return what a batch says of its arrays, or what they show."""
        data = getattr(data_batch, "provide_data", None) or [
            DataDesc(known.name, array.shape, known.dtype, known.layout)
            for known, array in zip(self.data, data_batch.data, strict=True)
        ]
        labels = getattr(data_batch, "label", None) or ()
        label = getattr(data_batch, "provide_label", None) or [
            DataDesc(name, array.shape, array.dtype)
            for name, array in zip(self.label_names, labels, strict=False)
        ]
        data = describe_data([desc.name for desc in self.data], data)
        return data, describe_labels(self.label_names, label) if label else None

    def output_shapes(self) -> list[tuple[str, tuple[int, ...]]]:
        """Return names and shapes of the outputs."""
        outputs = self.executor.output_dict
        return [(name, array.shape) for name, array in outputs.items()]

    def trained(self) -> list[tuple[str, NDArray, NDArray]]:
        """Return the parameters that have gradients: name, value and gradient of each."""
        executor = self.executor
        return [
            (name, executor.arg_dict[name], executor.grad_dict[name])
            for name in self._param_names
            if executor.grad_dict.get(name) is not None
        ]

    def params(self) -> dict[str, NDArray]:
        """Return the parameters by name."""
        return {name: self.executor.arg_dict[name] for name in self._param_names}

    def install_monitor(self, mon: Any) -> None:
        """Let a `Monitor` look into this executor, and into those for other shapes."""
        self._monitor = mon
        mon.install(self._first)
        if self.executor is not self._first:
            self._watch(mon)

    @property
    def nbytes(self) -> int:
        """How many bytes the executor takes besides parameters, about."""
        inputs = [a for n, a in self.executor.arg_dict.items() if n not in self._param_names]
        return int(self.executor.nbytes) + sum(2 * array.size * 8 for array in inputs)

    def _watch(self, mon: Any) -> None:
        self.executor.set_monitor_callback(mon.stat_helper, mon.monitor_all)


def _by_name(kind: str, descriptions: list[DataDesc], arrays: Sequence[Any]) -> dict[str, Any]:
    names = [desc.name for desc in descriptions]
    if len(names) != len(arrays):
        raise ValueError(
            f"Module.forward: the batch has {len(arrays)} arrays in {kind}, expected {len(names)}: "
            f"{', '.join(names)}"
        )
    return dict(zip(names, arrays, strict=True))


def _shared(arrays: Mapping[str, NDArray], name: str, shape: tuple[int, ...]) -> NDArray:
    array = arrays.get(name)
    if array is None:
        raise ValueError(
            f"Module: the symbol has a parameter '{name}' that shared_module lacks; it has "
            f"{', '.join(arrays)}. Bind first the module that has all, for a BucketingModule that "
            "of default_bucket_key"
        )
    if array.shape != tuple(shape):
        raise ShapeError(
            f"Module: the parameter '{name}' has shape {array.shape} in shared_module, here "
            f"{tuple(shape)}; shared parameters must have equal shapes"
        )
    return array
