"""`BoundSymbol`: executor of a module for the shapes of the current batch."""

from collections.abc import Mapping, Sequence
from typing import Any

from opforge.base.config import graph_limit
from opforge.base.context import Context
from opforge.base.dtypes import dtype_of
from opforge.base.errors import ShapeError
from opforge.base.lru_cache import LRUCache
from opforge.io import DataDesc
from opforge.ndarray import NDArray
from opforge.op.declaring.validation import UNKNOWN_TYPE
from opforge.symbol import Symbol
from opforge.symbol.variable_attributes import declared_type

__all__ = ["BoundSymbol"]


class BoundSymbol:
    """A symbol with its arrays; parameter arrays are kept when input shapes change.

    Parameters
    ----------
    symbol : Symbol
    context : Context
    param_names : list of str
        Arguments that are not inputs.
    data : list of DataDesc
    label : list of DataDesc or None
    requests : dict of str to {"write", "add", "null"}
        What to do with the gradient of each argument.
    group2ctx : dict of str to Context
        Context of the arrays of variables by their attribute ``ctx_group``.
    shared : BoundSymbol, optional
        Shares its parameters, their gradients and the auxiliary states.

    Attributes
    ----------
    executor : Executor
        Executor for the current shapes.

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
        group2ctx: Mapping[str, Context],
        shared: "BoundSymbol | None" = None,
    ) -> None:
        self.symbol = symbol
        self._context = context
        self._param_names = param_names
        self._requests = dict(requests)
        self._arguments = symbol.list_arguments()
        self._data, self._label = data, label
        self.executor = self._bind(group2ctx, shared)
        #: Executor for the first shapes; it owns the parameters and memory that others share.
        self._first = self.executor
        self._kept: LRUCache[Any, Any] = LRUCache(graph_limit())
        self._kept.put(self._key(), self.executor, 0)

    def _inputs(self) -> list[DataDesc]:
        """Return the data and the labels that the symbol uses; others are only for metrics."""
        labels = [desc for desc in self._label or () if desc.name in self._arguments]
        return [*self._data, *labels]

    def _key(self) -> Any:
        return tuple(self._shapes().items())

    def _shapes(self) -> dict[str, tuple[int, ...]]:
        return {desc.name: tuple(desc.shape) for desc in self._inputs()}

    # -- binding ------------------------------------------------------------------------------

    def _bind(self, group2ctx: Mapping[str, Context], shared: "BoundSymbol | None") -> Any:
        if shared is not None:
            self._check_shared(shared)
        return self.symbol.simple_bind(
            self._context,
            grad_req=self._requests,
            type_dict=self._types(),
            group2ctx=group2ctx,
            shared_arg_names=self._param_names,
            shared_exec=None if shared is None else shared.executor,
            **self._shapes(),
        )

    def _check_shared(self, shared: "BoundSymbol") -> None:
        have = {*shared.executor.arg_dict, *shared.executor.aux_dict}
        for name in (*self._param_names, *self.symbol.list_auxiliary_states()):
            if name not in have:
                raise ValueError(
                    f"Module: the symbol has a parameter '{name}' that shared_module lacks; it has "
                    f"{', '.join(sorted(have))}. First bind the module that has all of them, for a "
                    "BucketingModule that of default_bucket_key"
                )

    def _types(self) -> dict[str, Any]:
        """Return the dtypes of the inputs; those declared in the symbol take precedence."""
        types = {desc.name: desc.dtype for desc in self._inputs()}
        said = {node.name: declared_type(node).code for node in self.symbol.argument_nodes()}
        for desc in self._data:
            if said.get(desc.name, UNKNOWN_TYPE) != UNKNOWN_TYPE:
                types[desc.name] = dtype_of(said[desc.name])
        return types

    def reshape(self, data: list[DataDesc], label: list[DataDesc] | None) -> None:
        """Change the shapes of inputs.

        Parameters
        ----------
        data : list of DataDesc
        label : list of DataDesc or None

        Raises
        ------
        ShapeError
            A parameter would have another shape.
        """
        self._data, self._label = data, label
        known = self._kept.get(self._key())
        if known is not None:
            self.executor = known
            return
        inputs = self._all_inputs(self._shapes())
        self.executor = self._first.reshape(allow_up_sizing=True, **inputs)
        self._kept.put(self._key(), self.executor, self.nbytes)

    def _all_inputs(self, shapes: dict[str, tuple[int, ...]]) -> dict[str, tuple[int, ...]]:
        """Return the shapes of all inputs, including missing labels."""
        arg_shapes, _, _ = self.symbol.infer_shape(**shapes)
        if arg_shapes is None:
            return shapes
        for name, shape in zip(self._arguments, arg_shapes, strict=True):
            if name not in self._param_names:
                shapes = {**shapes, name: tuple(shape)}
            elif tuple(shape) != self.executor.arg_dict[name].shape:
                raise ShapeError(
                    f"Module: with inputs of shapes {shapes} the parameter '{name}' would have "
                    f"shape {tuple(shape)} but has {self.executor.arg_dict[name].shape}. Pass data "
                    "that differ in the number of samples only, or bind another module"
                )
        return shapes

    def params(self) -> dict[str, NDArray]:
        """Return the parameters by name."""
        return {name: self.executor.arg_dict[name] for name in self._param_names}

    def install_monitor(self, mon: Any) -> None:
        """Install a `Monitor` on this executor and on those for other shapes."""
        mon.install(self._first)
        if self.executor is not self._first:
            self.executor.set_monitor_callback(mon.stat_helper, mon.monitor_all)

    @property
    def nbytes(self) -> int:
        """Approximate size of the executor in bytes, excluding parameters."""
        inputs = [a for n, a in self.executor.arg_dict.items() if n not in self._param_names]
        return int(self.executor.nbytes) + sum(2 * array.size * 8 for array in inputs)
