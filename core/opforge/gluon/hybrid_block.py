"""`HybridBlock`: a block written once for arrays and for graphs.

Subclasses define ``hybrid_forward(F, x, ..., **params)``: `F` is the operator namespace, and the
registered parameters are passed as keywords, named after their attributes. Parameters of unknown
shape are passed as placeholders, which the first operator that uses them completes by its
`infer_shape`.
"""

import functools
import warnings
from typing import Any, ClassVar, Never

from .. import ndarray as nd
from .. import symbol as sym
from ..base.context import HOST_TYPES, Context, current_context
from ..base.dtypes import code_of
from ..base.errors import OpforgeError, ShapeError, UnknownShapeError
from ..base.files import replacing_together
from ..base.initialization_lock import initializing
from ..native.array import DeferredArray
from ..ndarray import NDArray
from ..symbol import Symbol
from ..symbol.modes import composing_arrays
from ..symbol.partitioning.backend import create as create_backend
from ..symbol.size_tracking import ignoring_sizes
from .base_block import Block
from .cached_graph import CachedGraph
from .fixed_sizes import warn_of_fixed_sizes
from .flat_inputs import FlatInputs
from .monitored_graph import MonitoredGraph, OperatorHook
from .nesting_formats import format_of
from .parameter import Parameter, is_known
from .parameter_dict import ParameterDict
from .tracing import Trace, data_names, parameter_symbol

__all__ = ["HybridBlock"]

#: Flags of MXNet's hybridize.
_FLAGS = {
    "backward_bulk_size",
    "data_indices",
    "forward_bulk_size",
    "inline_limit",
    "param_indices",
    "static_alloc",
    "static_shape",
}


class HybridBlock(Block):
    """Base class of layers that can run as a graph.

    Parameters
    ----------
    prefix : str, optional
    params : ParameterDict, optional
        As for `Block`.

    Examples
    --------
    >>> from opforge import nd
    >>> from opforge.gluon import HybridBlock
    >>> class Scale(HybridBlock):
    ...     def __init__(self, **kwargs):
    ...         super().__init__(**kwargs)
    ...         self.factor = self.params.get("factor", shape=(1,), init="ones")
    ...     def hybrid_forward(self, F, x, factor):
    ...         return F.broadcast_mul(x, factor)
    >>> scale = Scale(prefix="scale_")
    >>> scale.initialize()
    >>> scale(nd.array([1, 2])).asnumpy().tolist()
    [1.0, 2.0]
    """

    #: Subgraph backends by name, with their options, in the order in which they are applied.
    _backends: tuple[tuple[Any, dict[str, Any]], ...] = ()
    #: Backends of all blocks, applied before their own. Modes of a program, such as mixed
    #: precision, set them on this class.
    _common_backends: ClassVar[tuple[tuple[Any, dict[str, Any]], ...]] = ()

    def __init__(
        self,
        prefix: str | None = None,
        params: ParameterDict | None = None,
        **unknown: Never,
    ) -> None:
        super().__init__(prefix=prefix, params=params, **unknown)
        self._active = False
        self._flags: dict[str, Any] = {}
        self._graph: CachedGraph | None = None
        self._op_hook: tuple[OperatorHook, bool] | None = None

    @property
    def _all_backends(self) -> tuple[tuple[Any, dict[str, Any]], ...]:
        return (*HybridBlock._common_backends, *self._backends)

    # Programs for MXNet read these of a block that was hybridized and called.

    @property
    def _cached_graph(self) -> tuple[Any, ...]:
        found = self._known_trace()
        if found is None:
            return ()
        return [sym.var(name) for name in data_names(len(found.types))], found.symbol

    @property
    def _in_format(self) -> Any:
        found = self._known_trace()
        return None if found is None else format_of(found.arguments)

    @property
    def _out_format(self) -> Any:
        found = self._known_trace()
        return None if found is None else format_of(found.structure)

    def _known_trace(self) -> Trace | None:
        """Return the trace of the first kind of call; None before it, or without a graph."""
        graph = self._graph
        return graph.last_trace() if graph is not None and graph.has_trace else None

    def __getstate__(self) -> dict[str, Any]:
        # Copied and unpickled blocks are traced and compiled in their first call.
        return {**self.__dict__, "_graph": None}

    def register_child(self, block: Block, name: str | None = None) -> None:
        """Register `block`, which must be a HybridBlock, as a child.

        Raises
        ------
        ValueError
            `block` is not a HybridBlock.
        """
        if not isinstance(block, HybridBlock):
            raise ValueError(
                f"Children of HybridBlock must also be HybridBlock, but {block} has type "
                f"{type(block)}. If you are using Sequential, please try HybridSequential instead."
            )
        super().register_child(block, name)
        self._graph = None

    def hybridize(
        self, active: bool = True, backend: Any = None, clear: bool = True, **kwargs: Any
    ) -> None:
        """Run this block and its children as one compiled graph from now on.

        The block is traced in its first call with inputs of given shapes and types, separately in
        and outside of training mode: `hybrid_forward` runs once with symbols. Later calls of that
        kind run the compiled graph. Results equal those of the imperative run, up to rounding.

        Parameters
        ----------
        active : bool, default True
            False: run imperatively again.
        backend : str, optional
            Subgraph backend that replaces parts of the graph; see `optimize_for`.
        clear : bool, default True
            Whether to forget previous backends.
        **kwargs
            MXNet's flags `static_alloc`, `static_shape`, `inline_limit`, `forward_bulk_size` and
            `backward_bulk_size` are ignored; memory is always planned and reused. With a backend,
            all others are its options, and so are those in the dict `backend_opts`.

        Raises
        ------
        OpforgeError
            No backend has this name; the message lists the installed ones.
        TypeError
            A flag, or an option of the backend, is unknown.
        """
        options = {key: value for key, value in kwargs.items() if key not in _FLAGS}
        if options and backend is None:
            raise TypeError(
                f"hybridize got unknown flags {', '.join(sorted(options))}; it takes "
                f"{', '.join(sorted(_FLAGS))}, and options of a backend"
            )
        added: tuple[tuple[Any, dict[str, Any]], ...] = ()
        if backend is not None:
            options |= options.pop("backend_opts", {})
            options.pop("dedup_subgraph", None)
            create_backend(backend, **options)
            added = ((backend, options),)
        flags = {key: value for key, value in kwargs.items() if key in _FLAGS}
        self._backends = added if clear else (*self._backends, *added)
        self._active = active
        self._flags = flags
        self._graph = None
        super().hybridize(active, **flags)

    def register_op_hook(self, callback: OperatorHook, monitor_all: bool = False) -> None:
        """Call ``callback(name, operator, array)`` for each operator after each hybridized call.

        Parameters
        ----------
        callback : callable
            Receives the names as bytes, as in MXNet, and the output as an NDArray.
        monitor_all : bool, default False
            Also call it for the inputs of operators.
        """
        self._op_hook = (callback, monitor_all)
        self._graph = None
        super().register_op_hook(callback, monitor_all)

    def cast(self, dtype: Any) -> None:
        """Convert all parameters to `dtype`; graphs are compiled again."""
        self._graph = None
        super().cast(dtype)

    def forward(self, x: Any, *args: Any) -> Any:
        """Call `hybrid_forward` with the parameters, or run the compiled graph.

        Parameters
        ----------
        x, *args : NDArray or Symbol, or lists of them
            With symbols, the result is the block's graph as a symbol.
        """
        inputs = None
        if not self._active and isinstance(x, NDArray):
            ctx = x.context
        else:
            inputs = FlatInputs((x, *args))
            if not inputs.fit_graphs and inputs.are_symbols(self.name):
                return self._compose(x, *args)
            ctx = inputs.arrays[0].context
            # Graphs are compiled for the CPU; on other devices a block runs imperatively.
            if not (self._active and inputs.fit_graphs and ctx.device_typeid in HOST_TYPES):
                inputs = None
        current = current_context()
        if ctx is current or ctx == current:
            return self._run(ctx, x, args) if inputs is None else self._run_graph(ctx, inputs)
        with ctx:
            return self._run(ctx, x, args) if inputs is None else self._run_graph(ctx, inputs)

    def _run_graph(self, ctx: Context, inputs: FlatInputs) -> Any:
        """Run the compiled graph; imperatively if a descendant cannot be traced."""
        graph = self._graph or self._graph_cache()
        if graph is None:
            return self._run(ctx, inputs.args[0], inputs.args[1:])
        return graph(self, ctx, inputs)

    def _graph_cache(self) -> CachedGraph | None:
        """Return a cache of graphs; None, with a warning, if a descendant cannot be traced."""
        blocking = _plain_forward(self)
        if blocking is not None:
            self._active = False
            warnings.warn(
                f"{self.name} cannot run as one graph: {type(blocking).__name__} "
                f"'{blocking.name}' defines forward() and not hybrid_forward(). It runs "
                "imperatively; hybrid blocks inside of it run as separate graphs.",
                stacklevel=5,
            )
            return None
        with initializing():
            if self._graph is None:
                hook = self._op_hook
                self._graph = CachedGraph() if hook is None else MonitoredGraph(*hook)
            return self._graph

    def export(self, path: str, epoch: int = 0, remove_amp_cast: bool = True) -> None:
        """Save graph and parameters, for `SymbolBlock.imports`, `model.load_checkpoint` and MXNet.

        Parameters
        ----------
        path : str
            Prefix of the file names ``path-symbol.json`` and ``path-0000.params``, which are
            replaced once both are written.
        epoch : int
            Number in the name of the parameter file.
        remove_amp_cast : bool, default True
            As for `Symbol.tojson`.

        Raises
        ------
        OpforgeError
            The block has not been hybridized and called yet, or runs imperatively because its code
            reads sizes that depend on values.

        Warns
        -----
        UserWarning
            The graph holds only for the sizes of the first call, which the block's code reads.
        """
        symbol, parameters = self._graph_to_export()
        states = set(symbol.list_auxiliary_states())
        arrays = {
            f"{'aux' if name in states else 'arg'}:{name}": param._reduce()
            for name, param in parameters.items()
        }
        with replacing_together():
            symbol.save(f"{path}-symbol.json", remove_amp_cast)
            nd.save(f"{path}-{epoch:04d}.params", arrays)

    def _graph_to_export(self) -> tuple[Symbol, dict[str, Parameter]]:
        """Return the graph and the parameters that `export` saves."""
        if self._graph is None:
            raise OpforgeError(
                f"{self.name}: please first call block.hybridize() and then run forward with this "
                "block at least once before calling export."
            )
        found = self._graph.last_trace()
        warn_of_fixed_sizes(self, found)
        return found.symbol, found.parameters

    def optimize_for(
        self, x: Any, *args: Any, backend: Any = None, clear: bool = False, **kwargs: Any
    ) -> None:
        """Hybridize with a subgraph backend, which replaces the parts that it supports.

        The backend gets the graph and the values of the parameters now, and again whenever the
        block is traced. It may add parameters, which `export` saves. Parameters of the block
        that it preprocesses should not change afterwards.

        Parameters
        ----------
        x, *args : NDArray
            Inputs, for which the block is traced without computing results. With symbols, it is
            traced by its first call.
        backend : str
            Name of a backend that a plugin provides or the program has registered.
        clear : bool, default False
            Whether to forget previous backends; by default they are applied before this one.
        **kwargs
            Flags of `hybridize`, and options of the backend.

        Raises
        ------
        ValueError
            There is no `backend`.
        OpforgeError
            No backend has this name; the message lists the installed ones.
        """
        if not backend:
            raise ValueError('Must specify "backend" to optimize_for')
        self.hybridize(True, backend, clear, **kwargs)
        inputs = FlatInputs((x, *args))
        if inputs.fit_graphs and inputs.arrays[0].context.device_typeid in HOST_TYPES:
            graph = self._graph_cache()
            if graph is not None:
                with inputs.arrays[0].context:
                    graph.prepare(self, inputs)

    def _compose(self, *args: Any) -> Any:
        """Call `hybrid_forward` with symbols that stand for arrays."""
        with composing_arrays():
            if type(self).infer_shape is not HybridBlock.infer_shape and any(
                param._deferred_init for param in self._reg_params.values()
            ):
                # The sizes it reads are stored in the parameters, and not in the graph.
                with ignoring_sizes():
                    self.infer_shape(*args)
            params = {name: parameter_symbol(param) for name, param in self._reg_params.items()}
            with self.name_scope():
                return self.hybrid_forward(sym, *args, **params)

    def _run(self, ctx: Context, x: Any, args: tuple[Any, ...]) -> Any:
        params = {}
        for name, param in self._reg_params.items():
            if param._single is not None and param._single_ctx is ctx:
                params[name] = param._single
            elif param._data is None and param._deferred_init:
                return self._run_deferred(ctx, x, args)
            else:
                params[name] = param.data(ctx)
        return self.hybrid_forward(nd, x, *args, **params)

    def _run_deferred(self, ctx: Context, x: Any, args: tuple[Any, ...]) -> Any:
        """Run with a placeholder for each parameter of unknown shape."""
        if type(self).infer_shape is not HybridBlock.infer_shape:
            self.infer_shape(x, *args)
        params = {name: _value_or_placeholder(p, ctx) for name, p in self._reg_params.items()}
        try:
            return self.hybrid_forward(nd, x, *args, **params)
        except UnknownShapeError as error:
            unknown = [p.name for p in self._reg_params.values() if p._deferred_init]
            raise ShapeError(
                f"Deferred initialization failed because shape cannot be inferred: '{self.name}' "
                f"uses {', '.join(unknown)} before an operator that determines the shape. "
                "Pass it to such an operator (F.FullyConnected, ...), give the parameter its full "
                "shape, or define infer_shape(self, x, ...) to set it."
            ) from error

    def hybrid_forward(self, F: Any, x: Any, /, *args: Any, **params: Any) -> Any:
        """Compute the output; subclasses must define it.

        Parameters
        ----------
        F : module
            Operator namespace: `opforge.nd`, or `opforge.sym` while the block is traced.
        x : NDArray or Symbol
        *args
            Further inputs.
        **params
            Values of the registered parameters, by attribute name.
        """
        raise NotImplementedError(
            f"{type(self).__name__} must define hybrid_forward(self, F, x, ...)"
        )

    def infer_shape(self, *args: Any) -> None:
        """Set the unknown dimensions of the parameters from the inputs.

        Seldom needed: `infer_shape` of operators completes the parameters. Override it if
        `hybrid_forward` needs the value of a parameter before an operator has used it.
        """

    def infer_type(self, *args: Any) -> None:
        """Set the element types of the parameters, inferred from those of the inputs.

        Parameters
        ----------
        *args : NDArray

        Raises
        ------
        DTypeError
            The type of a parameter contradicts them.
        ValueError
            A type cannot be inferred.
        """
        names = data_names(len(args))
        graph = self._compose(*(sym.var(name) for name in names))
        outputs = graph if isinstance(graph, Symbol) else sym.Group(graph)
        given = {name: array.dtype for name, array in zip(names, args, strict=True)}
        kinds, _, states = outputs.infer_type(**given)
        if kinds is None:
            raise ValueError(
                f"{self.name}: the types of the parameters cannot be inferred from {given}"
            )
        found = dict(zip(outputs.list_arguments(), kinds, strict=True))
        found |= zip(outputs.list_auxiliary_states(), states, strict=True)
        for name, parameter in self.collect_params().items():
            if name in found:
                parameter.dtype = found[name]


def _value_or_placeholder(param: Parameter, ctx: Context) -> Any:
    if param._data is not None or not param._deferred_init:
        return param.data(ctx)
    if is_known(param._shape):
        param._finish_deferred_init()
        return param.data(ctx)
    complete = functools.partial(param._complete, ctx=ctx)
    return DeferredArray(param._sizes, code_of(param.dtype), complete)


def _plain_forward(block: Block) -> Block | None:
    """Return `block` or a descendant that can only run on arrays, if there is one."""
    if isinstance(block, HybridBlock) and type(block).forward is HybridBlock.forward:
        for child in block._children.values():
            found = _plain_forward(child)
            if found is not None:
                return found
        return None
    return block
