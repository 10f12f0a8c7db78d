"""Steps of nodes with subgraphs, which are compiled to separate programs.

A body is compiled once per combination of input types and requested gradients, regardless of the
number of iterations and of the surrounding graph.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from ...base.context import current_context
from ...native.graph import control as native
from ..control.branches import Cond
from ..control.loops import Loop
from ..control.subgraph import Subgraph
from ..node import Node, Operation, Type
from .call import Call
from .compiled_graph import CompiledGraph
from .loop_gradients import SUM
from .lowering import Lowered, lower

__all__ = ["backward_of", "control_call", "has_subgraphs"]

Compile = Callable[[Lowered, Mapping[str, str]], CompiledGraph]
#: Inputs of a subgraph that need a gradient, and how it is combined with the array's content.
Requests = Mapping[int, str]


class _Compiled(NamedTuple):
    """Programs of a subgraph, the types of its outputs, and the data that iterations keep.

    `operands` are slots with shapes and type codes; `products` name, for each input whose gradient
    is a product over the rows of all iterations, its two operands.
    """

    programs: Any
    types: list[tuple[tuple[int, ...], int]]
    operands: list[tuple[int, tuple[int, ...], int]]
    products: list[tuple[int, int, int, Any]]


def has_subgraphs(node: Node) -> bool:
    """Return whether a node's operator runs subgraphs."""
    return isinstance(node.operation, Operation) and bool(node.operation.subgraphs)


def control_call(
    node: Node, inputs: list[int], outputs: list[int], wanted: Sequence[bool], build: Compile
) -> Call:
    """Return the step of a node with subgraphs.

    Parameters
    ----------
    node : Node
        Its types are known.
    inputs, outputs : list of int
        Slots.
    wanted : sequence of bool
        Inputs that need a gradient; empty if none does.
        Compiles a subgraph.
    """
    assert node.operation is not None
    types = [source.types[index] for source, index in node.inputs]
    prop: Any = node.operation.prop
    if isinstance(prop, Cond):
        make = _branch(prop, types, wanted, build)
    else:
        make = _loop(prop, types, wanted, build)
    return Call(lambda made: make(), node.name, inputs, outputs, key=id(node))


def backward_of(forward: Node, wanted: Sequence[bool]) -> Callable[[dict[int, Any]], Any]:
    """Return the function that creates the backward step of a node with subgraphs."""
    key, flags = id(forward), list(wanted)
    assert forward.operation is not None
    if isinstance(forward.operation.prop, Cond):
        return lambda made: native.BranchBackwardStep(made[key])
    return lambda made: native.LoopBackwardStep(made[key], flags)


def _loop(
    prop: Loop, types: Sequence[Type], wanted: Sequence[bool], build: Compile
) -> Callable[[], Any]:
    inside = [prop.inner_input(at, found) for at, found in enumerate(types)]
    end = prop.n_data + prop.n_loop_states
    requests = {at: "write" if at < end else SUM for at, flag in enumerate(wanted) if flag}
    if requests:
        # A state's gradient may depend on any input, through earlier iterations.
        requests.update(dict.fromkeys(range(prop.n_data, end), "write"))
    body = _compiled(prop.body, inside, requests, build)
    conditions = [_compiled(graph, inside, {}, build) for graph in prop.subgraphs[:-1]]
    condition = [(found.programs, found.types[0]) for found in conditions]
    n_data, n_states, iterations = prop.n_data, prop.n_loop_states, prop.iterations(types)
    return lambda: native.LoopStep(
        body.programs,
        n_data,
        n_states,
        iterations,
        bool(requests),
        body.operands,
        body.products,
        *(condition[0] if condition else ()),
    )


def _branch(
    prop: Cond, types: Sequence[Type], wanted: Sequence[bool], build: Compile
) -> Callable[[], Any]:
    requests = {at: "write" for at, flag in enumerate(wanted) if flag}
    condition = _compiled(prop.subgraphs[0], types, {}, build)
    then, otherwise = (
        _compiled(graph, types, requests, build).programs for graph in prop.subgraphs[1:]
    )
    kind = condition.types[0]
    return lambda: native.BranchStep(condition.programs, kind, [otherwise, then], bool(requests))


def _compiled(
    graph: Subgraph, types: Sequence[Type], requests: Requests, build: Compile
) -> _Compiled:
    """Return a subgraph compiled for inputs of these types, from its cache if possible."""
    key = current_context(), tuple(types), tuple(sorted(requests.items()))
    found: _Compiled | None = graph.compiled.get(key)
    if found is None:
        made = _compile(graph, types, requests, build)
        names = [None if node is None else node.name for node in graph.variables]
        found = _with_types(made, made.programs(names, made.counted(graph.compiled, key)), names)
        graph.compiled.put(key, found, 0)
    return found


def _with_types(made: CompiledGraph, programs: Any, names: Sequence[str | None]) -> _Compiled:
    outputs = [(made.types[slot].shape, made.types[slot].code) for slot in made.outputs]
    operands = [key for key in made.grads if key not in names]
    slots = [made.grads[key] for key in operands]
    return _Compiled(
        programs,
        outputs,
        [(slot, made.types[slot].shape, made.types[slot].code) for slot in slots],
        [
            (names.index(name), operands.index(item.left), operands.index(item.right), item.compute)
            for name, item in made.products.items()
        ],
    )


def _compile(
    graph: Subgraph, types: Sequence[Type], requests: Requests, build: Compile
) -> CompiledGraph:
    named = {n.name: t for n, t in zip(graph.variables, types, strict=True) if n is not None}
    lowered = lower(
        graph.symbol,
        {name: found.shape for name, found in named.items()},
        {name: found.code for name, found in named.items()},
    )
    variables = [(at, node) for at, node in enumerate(graph.variables) if node is not None]
    return build(lowered, {node.name: requests[at] for at, node in variables if at in requests})
