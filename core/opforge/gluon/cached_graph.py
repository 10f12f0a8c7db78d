"""`CachedGraph`: compiled graphs of a hybridized block, one for each kind of call.

The kind is given by shapes and types of the inputs, training and recording modes, and the inputs
that need a gradient. The first call of a kind compiles the graph, later ones run it in one native
call. The block is traced again only if something else than sizes differs, or if its code reads
sizes. Least-recently-used kinds are dropped (`LRUCache`); all kinds share one arena.
"""

import warnings
from functools import partial
from operator import attrgetter
from typing import Any

from ..base.config import graph_limit
from ..base.context import Context
from ..base.errors import OpforgeError, UnknownShapeError
from ..base.initialization_lock import initializing
from ..base.lru_cache import LRUCache
from ..base.nesting import HERE, unflatten
from ..native.dispatch import tape
from ..native.graph.arena import Arena
from ..native.graph.compiled import CompiledCall
from ..ndarray import NDArray
from ..symbol.compiler.compiling import compile_graph
from ..symbol.compiler.lowering import Lowered, lower
from ..symbol.compiler.steady_values import SteadyStore
from ..symbol.node import Type
from ..symbol.recorded_symbol import inlined
from .flat_inputs import FlatInputs
from .optimized_trace import optimize_trace, warn_of_imperative_run
from .parameter import Parameter
from .tracing import Trace, data_names, expect_inputs, trace

__all__ = ["CachedGraph"]

#: Approximate bytes per node of a trace, measured with tracemalloc.
_BYTES_PER_NODE = 1500

_type_of = attrgetter("shape", "dtype_code")
_single_of = attrgetter("_single")
_NO_CALL = None, None, None


class _TracedGraph:
    """A trace, and the sources of its graph's inputs."""

    def __init__(self, found: Trace, n_inputs: int) -> None:
        names = set(found.symbol.list_inputs())
        self.trace = found
        data = data_names(n_inputs)
        #: Names of inputs and parameters that the graph reads, and the indices of the inputs.
        self.read = [at for at, name in enumerate(data) if name in names]
        self.reads_all = len(self.read) == n_inputs
        self.parameters: list[Parameter] = [
            param for name, param in found.parameters.items() if name in names
        ]
        self.names = [data[at] for at in self.read]
        self.parameter_names = [name for name in found.parameters if name in names]
        self.names += self.parameter_names
        self.nbytes = _BYTES_PER_NODE * len(found.symbol.nodes())

    def lower(self, inputs: list[Any], predicting: bool) -> Lowered:
        """Return the lowered graph for arrays with the shapes and types of `inputs`."""
        return lower(
            self.trace.symbol,
            {n: a.shape for n, a in zip(self.names, inputs, strict=True)},
            {n: a.dtype_code for n, a in zip(self.names, inputs, strict=True)},
            predicting,
        )


class _Signature:
    """Traced graph and compiled calls for arguments of given shapes and types."""

    def __init__(self, route: _TracedGraph) -> None:
        self.route = route
        self.calls: list[CompiledCall] = []
        #: Whether the block cannot be compiled for these arguments.
        self.is_imperative = route.trace.is_imperative


class CachedGraph:
    """Graphs of one block, which is passed to each call so that there is no reference cycle."""

    def __init__(self) -> None:
        limit = graph_limit()
        self._kinds: LRUCache[Any, _Signature] = LRUCache(limit)
        #: Traces that are valid for all sizes, by the values they depend on.
        self._routes: LRUCache[Any, _TracedGraph] = LRUCache(limit)
        #: Structure, traced graph and compiled call of the last arguments, if the graph reads all
        #: of them: the compiled call then checks everything that their kind consists of.
        self._recent: tuple[Any, Any, Any] = _NO_CALL
        self._first: Trace | None = None
        self._arenas: dict[Context, Arena] = {}
        self._steady: dict[Context, SteadyStore] = {}
        self._has_warned = False
        #: Parameters that subgraph backends added.
        self._added: dict[str, Parameter] = {}

    def __call__(self, block: Any, ctx: Context, given: FlatInputs) -> Any:
        """Return the results of `block` for its arguments."""
        arrays = given.arrays
        structure, route, call = self._recent
        if structure == given.structure:
            inputs = [*arrays, *map(_single_of, route.parameters)]
        if structure != given.structure or not call.fits(inputs):
            found = self._find(block, ctx, given)
            if found is None:
                return block._run(ctx, given.args[0], given.args[1:])
            route, call, inputs = found
        structure = route.trace.structure
        results = call(inputs)
        if route.trace.repeated:
            for at, first in route.trace.repeated:
                results[at] = results[first]  # one object, as in imperative calls
        if type(arrays[0]) is not NDArray:
            for result in results:  # outputs have the class of the inputs, as in imperative calls
                result.__class__ = type(arrays[0])
        return results[0] if structure == HERE else unflatten(structure, iter(results))

    def _find(
        self, block: Any, ctx: Context, given: FlatInputs
    ) -> tuple[_TracedGraph, CompiledCall, list[Any]] | None:
        """Return the compiled call for arguments and its inputs; None if it runs imperatively."""
        arrays, structure = given.arrays, given.structure
        key = structure, tuple(map(_type_of, arrays)), tape.modes()
        try:
            kind = self._kinds.get(key)
        except TypeError:  # an argument that is not an array is unhashable
            kind = None
        if kind is None:
            expect_inputs(block.name, structure)
            with initializing():
                kind = self._kinds.get(key) or self._new_kind(block, key, arrays)
        if kind.is_imperative:
            return None
        inputs = _inputs(kind.route, arrays, ctx)
        for call in kind.calls:
            if call.fits(inputs):
                break
        else:
            with initializing():
                added = self._add_call(block, key, kind, arrays, ctx)
            if added is None:
                return None
            call, inputs = added, _inputs(kind.route, arrays, ctx)
        self._recent = (structure, kind.route, call) if kind.route.reads_all else _NO_CALL
        return kind.route, call, inputs

    def prepare(self, block: Any, given: FlatInputs) -> None:
        """Trace and optimize `block` for its arguments without computing results."""
        arrays = given.arrays
        key = given.structure, tuple(map(_type_of, arrays)), tape.modes()
        expect_inputs(block.name, given.structure)
        with initializing():
            if self._kinds.get(key) is None:
                self._new_kind(block, key, arrays)

    def _warn(self, block: Any, arrays: list[Any], error: Exception) -> None:
        if not self._has_warned:
            self._has_warned = True
            warnings.warn(
                f"{block.name} runs imperatively for inputs of shapes "
                f"{[array.shape for array in arrays]}: {error}",
                stacklevel=8,
            )

    # -- new kinds of calls -------------------------------------------------------------------

    def _new_kind(self, block: Any, key: Any, arrays: list[Any]) -> _Signature:
        route = self._routes.get(_without_sizes(key))
        kind = _Signature(route if route is not None else self._trace(block, key, arrays))
        self._kinds.put(key, kind, 0 if kind.route.trace.is_general else kind.route.nbytes)
        return kind

    def _trace(self, block: Any, key: Any, arrays: list[Any]) -> _TracedGraph:
        structure, types, _ = key
        found = trace(block, structure, [Type(*known) for known in types])
        if not found.is_imperative:  # else imperative calls infer parameter shapes
            found.complete(block)
        self._optimize(block, found, arrays[0].context)
        if self._first is None:
            self._first = found
        route = _TracedGraph(found, len(arrays))
        if found.is_general:
            self._routes.put(_without_sizes(key), route, route.nbytes)
        return route

    def _optimize(self, block: Any, found: Trace, ctx: Context) -> None:
        """Let the subgraph backends of `block` replace parts of its graph."""
        if not block._all_backends:
            return
        if found.is_imperative:
            warn_of_imperative_run(block)
        else:
            optimize_trace(found, block, ctx, self._added)

    def _add_call(
        self, block: Any, key: Any, kind: _Signature, arrays: list[Any], ctx: Context
    ) -> CompiledCall | None:
        """Compile for arguments of this kind; return None if the block cannot be compiled.

        Another thread may have compiled for them in the meantime.

        This is a separate, short function because of CPython 3.11: without memory, a function of
        more than 256 instructions that re-raises in ``except ... as`` never returns.
        """
        inputs = _inputs(kind.route, arrays, ctx)
        for made in kind.calls:
            if made.fits(inputs):
                return made
        try:
            call = self._compile(block, key, kind, arrays, ctx)
        except UnknownShapeError as error:
            kind.is_imperative = True
            self._warn(block, arrays, error)
            return None
        if call is not None:
            kind.calls.insert(0, call)
        return call

    def _compile(
        self, block: Any, key: Any, kind: _Signature, arrays: list[Any], ctx: Context
    ) -> CompiledCall | None:
        """Compile for arguments of this kind and the current modes; None as for `_add_call`."""
        _expect_one_context(block, arrays)
        inputs = _inputs(kind.route, arrays, ctx)
        predicting = not tape.training() and not any(_wanted_gradients(inputs))
        try:
            graph = kind.route.lower(inputs, predicting)
        except UnknownShapeError:
            raise
        except OpforgeError:
            # With other sizes the block may have another graph, for example with broadcasting.
            kind.route = self._trace(block, key, arrays)
            kind.is_imperative = kind.route.trace.is_imperative
            if kind.is_imperative:
                return None
            inputs = _inputs(kind.route, arrays, ctx)
            graph = kind.route.lower(inputs, predicting)
        recorded = tape.recording()
        wanted = _wanted_gradients(inputs)
        names = kind.route.names
        requests = {n: "write" for n, f in zip(names, wanted, strict=True) if f}
        steady = self._steady.setdefault(ctx, SteadyStore(ctx))
        made = compile_graph(graph, requests, kind.route.parameter_names, steady)
        return CompiledCall(
            made.programs(names, made.counted(self._kinds, key)),
            [(made.types[slot].shape, made.types[slot].code) for slot in made.outputs],
            [(a.shape, a.dtype_code, flag) for a, flag in zip(inputs, wanted, strict=True)],
            tape.training(),
            recorded,
            self._arenas.setdefault(ctx, Arena(ctx)),
            made.steady,
            partial(inlined, kind.route.trace.symbol, names),
        )

    @property
    def has_trace(self) -> bool:
        """True if `last_trace` returns a graph."""
        return self._first is not None and bool(self._first.symbol.edges)

    def last_trace(self) -> Trace:
        """Return the graph of the first kind of call that was made.

        Raises
        ------
        OpforgeError
            The block was not called yet, or its code reads sizes that are unknown in a graph.
        """
        if self._first is None:
            raise OpforgeError(
                "please first call block.hybridize() and then run forward with this block at least "
                "once before calling export"
            )
        if not self.has_trace:
            raise OpforgeError(
                "the block has no graph: its code reads sizes that are unknown before the graph "
                f"runs, so it runs imperatively ({self._first.unknown})"
            )
        return self._first


def _inputs(route: _TracedGraph, arrays: list[Any], ctx: Context) -> list[Any]:
    """Return the inputs of the graph: arguments and parameters."""
    inputs = [arrays[at] for at in route.read]
    for param in route.parameters:
        value = param._single
        inputs.append(value if value is not None and param._single_ctx is ctx else param.data(ctx))
    return inputs


def _wanted_gradients(inputs: list[Any]) -> list[bool]:
    """Return which inputs currently need a gradient."""
    recorded = tape.recording()
    return [recorded and tape.in_graph(array) for array in inputs]


def _expect_one_context(block: Any, arrays: list[Any]) -> None:
    contexts = sorted({str(array.context) for array in arrays})
    if len(contexts) > 1:
        raise ValueError(
            "Find multiple contexts in the input, After hybridized, the HybridBlock only supports "
            f"one input context. {block.name} got arrays of {', '.join(contexts)}: convert them "
            "with as_in_context, or call it once for each context"
        )


def _without_sizes(key: Any) -> Any:
    """Return the key of a trace that reads no sizes: numbers of dimensions, and types."""
    structure, types, training = key
    return structure, tuple((len(shape), code) for shape, code in types), training
