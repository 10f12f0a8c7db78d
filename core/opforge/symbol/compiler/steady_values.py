"""Steady values: parts of a graph that depend on parameters alone, recomputed after writes only.

Examples are weights in another layout, scales of a normalization in prediction, and normalized
weights: pure native calls that read nothing but parameters. The largest such parts become separate
programs, whose results the graph reads like variables (`SteadyValue`); graphs of one owner share
equal ones. A result lives as long as a graph reads it. The size of each is bounded by that of the
parameters it depends on, and the total per owner by that of all parameters.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from copy import copy
from typing import Any, NamedTuple
from weakref import WeakValueDictionary

from ...base.config import graph_limit
from ...base.context import Context
from ...native.graph.steady import SteadyValue
from ..node import Edge, Node, Type, state_ids, topological
from .compiled_graph import CompiledGraph
from .constants import is_constant
from .lowering import Lowered

__all__ = ["Cut", "SteadyStore"]

#: Bound on the bytes of a result relative to those of its parameters, and on the total relative to
#: all parameters. The transformed weights of a convolution take this much.
_GROWTH = 4
#: Results of at most this many bytes are always cached.
_FEW_BYTES = 1 << 16

Compile = Callable[[Lowered], CompiledGraph]


class Cut(NamedTuple):
    """A value that the graph reads like a variable.

    Parameters
    ----------
    node : Node
        The variable.
    value : SteadyValue
    sources : tuple of str
        Parameters that the value depends on.
    """

    node: Node
    value: Any
    sources: tuple[str, ...]


class SteadyStore:
    """Steady values of the graphs of one owner.

    Parameters
    ----------
    context : Context
        Context of the values.
    """

    def __init__(self, context: Context) -> None:
        self._context = context
        self._values: WeakValueDictionary[Any, Any] = WeakValueDictionary()

    @property
    def nbytes(self) -> int:
        """Bytes of the values in use by a graph."""
        return sum(value.nbytes for value in list(self._values.values()))

    def cut(
        self, roots: tuple[Edge, ...], parameters: Collection[Node], build: Compile
    ) -> tuple[tuple[Edge, ...], list[Cut]]:
        """Move steady parts out of the graph below `roots`.

        Parameters
        ----------
        roots : tuple of (Node, int)
        parameters : collection of Node
            Variables whose arrays seldom change.
        build : callable
            Compiles the graph of one value.

        Returns
        -------
        roots : tuple of (Node, int)
            Roots of the remaining graph, whose nodes read variables instead of the steady parts.
        cuts : list of Cut
        """
        if not parameters:
            return roots, []
        order = topological(roots)
        reads = _steady_nodes(order, parameters)
        most = max(graph_limit(), _GROWTH * sum(node.types[0].nbytes for node in parameters))
        moved: dict[tuple[int, int], Edge] = {}
        cuts: list[Cut] = []
        for source, index in _boundary(order, roots, reads):
            value = self._value((source, index), reads[id(source)], most, build)
            if value is not None:
                variable = Node(source.name, types=[source.types[index]])
                moved[id(source), index] = (variable, 0)
                cuts.append(Cut(variable, value, tuple(reads[id(source)])))
        for node in order:
            if id(node) not in reads:
                node.inputs = tuple(moved.get((id(s), at), (s, at)) for s, at in node.inputs)
        return tuple([moved.get((id(node), at), (node, at)) for node, at in roots]), cuts

    def _value(self, edge: Edge, reads: dict[str, Type], most: int, build: Compile) -> Any:
        """Return the value of an edge, shared between graphs; None if it exceeds the bound."""
        part = topological([edge])
        key = _key(edge, part)
        value = self._values.get(key)
        if value is None:
            kind = edge[0].types[edge[1]]
            if self.nbytes + kind.nbytes > most:
                return None
            made = build(_copy_graph(edge, part, reads))
            slots = [made.inputs[name] for name in reads]
            value = SteadyValue(
                made.instantiate, slots, made.outputs[0], kind.shape, kind.code, self._context
            )
            self._values[key] = value
        return value


def _steady_nodes(
    order: Iterable[Node], parameters: Collection[Node]
) -> dict[int, dict[str, Type]]:
    """Return the parameters that each steady node reads, with their types, by node id.

    Constants read none; parameters read themselves.
    """
    order = list(order)
    given = {id(node) for node in parameters}
    changing = state_ids(order)
    reads: dict[int, dict[str, Type]] = {}
    for node in order:
        if id(node) in changing:
            continue
        if node.operation is None:
            if id(node) in given:
                reads[id(node)] = {node.name: node.types[0]}
            continue
        inputs = [reads.get(id(source)) for source, _ in node.inputs]
        if (node.is_pure or is_constant(node)) and None not in inputs:
            found = {name: kind for each in inputs if each for name, kind in each.items()}
            if _is_small_enough(node, found):
                reads[id(node)] = found
    return reads


def _is_small_enough(node: Node, reads: dict[str, Type]) -> bool:
    size = sum(kind.nbytes for kind in node.types)
    return size <= max(_FEW_BYTES, _GROWTH * sum(kind.nbytes for kind in reads.values()))


def _boundary(
    order: Iterable[Node], roots: Iterable[Edge], reads: dict[int, dict[str, Type]]
) -> list[Edge]:
    """Return the results of steady calls that other nodes or the caller read."""
    others = [edge for node in order if id(node) not in reads for edge in node.inputs]
    found = {
        (id(node), index): (node, index)
        for node, index in [*others, *roots]
        if not node.is_variable and reads.get(id(node))
    }
    return list(found.values())


def _copy_graph(edge: Edge, part: Sequence[Node], reads: Iterable[str]) -> Lowered:
    """Return a separate graph for one value: passes modify nodes, which the other graph shares."""
    copies = {id(node): copy(node) for node in part}
    for node in copies.values():
        node.inputs = tuple((copies[id(source)], at) for source, at in node.inputs)
    variables = {node.name: node for node in copies.values() if node.is_variable}
    return Lowered({name: variables[name] for name in reads}, [(copies[id(edge[0])], edge[1])])


def _key(edge: Edge, part: Sequence[Node]) -> Any:
    """Return a key that is equal for equal values: their calls and the parameters they read."""
    positions = {id(node): position for position, node in enumerate(part)}
    calls = tuple(
        (node.name, node.types[0])
        if node.operation is None
        else (node.plan.bound, *((positions[id(s)], at) for s, at in node.inputs))
        for node in part
    )
    return calls, positions[id(edge[0])], edge[1]
