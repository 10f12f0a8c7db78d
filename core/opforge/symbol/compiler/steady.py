"""Values that depend on parameters alone, cut out of a graph and recomputed after writes.

Weights in another layout, scales of a normalization in prediction, weights that are normalized
themselves: pure native calls that read nothing but parameters. The largest such parts become
programs of their own, whose results the graph reads like variables (`SteadyValue`); graphs of one
owner that compute the same share them. The results live for as long as a graph reads them: each
is bounded by the size of what it depends on, and all of one owner by that of the parameters.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from copy import copy
from typing import Any, NamedTuple
from weakref import WeakValueDictionary

from ...base.config import graph_limit
from ...base.context import Context
from ...native.graph.steady import SteadyValue
from ..node import Edge, Node, Type, topological
from .blueprint import Blueprint
from .constants import is_constant
from .lowering import Lowered

__all__ = ["Cut", "SteadyStore"]

#: How many times the bytes of its parameters a result may take, and all of them those of all
#: parameters: as many as the transformed weights of a convolution do.
_GROWTH = 4
#: So many bytes are always worth it.
_FEW_BYTES = 1 << 16

Compile = Callable[[Lowered], Blueprint]


class Cut(NamedTuple):
    """A value that a graph reads like a variable.

    Parameters
    ----------
    node : Node
        That variable.
    value : SteadyValue
    sources : tuple of str
        The parameters that it depends on.
    """

    node: Node
    value: Any
    sources: tuple[str, ...]


class SteadyStore:
    """The steady values of the graphs of one owner.

    Parameters
    ----------
    context : Context
        Where they are.
    """

    def __init__(self, context: Context) -> None:
        self._context = context
        self._values: WeakValueDictionary[Any, Any] = WeakValueDictionary()

    @property
    def nbytes(self) -> int:
        """Bytes of the values that some graph reads."""
        return sum(value.nbytes for value in list(self._values.values()))

    def cut(
        self, roots: Sequence[Edge], parameters: Collection[Node], build: Compile
    ) -> tuple[list[Edge], list[Cut]]:
        """Cut steady parts out of the graph below `roots`.

        Parameters
        ----------
        roots : sequence of (Node, int)
        parameters : collection of Node
            Variables whose arrays are likely to stay as they are.
        build : callable
            Compiles the graph of one value.

        Returns
        -------
        roots : list of (Node, int)
            The same of the graph that is left: its nodes read variables for what was cut out.
        cuts : list of Cut
        """
        if not parameters:
            return list(roots), []
        order = topological(node for node, _ in roots)
        reads = _steady_nodes(order, parameters)
        most = max(graph_limit(), _GROWTH * sum(node.types[0].nbytes for node in parameters))
        moved: dict[tuple[int, int], Edge] = {}
        cuts: list[Cut] = []
        for source, index in _border(order, roots, reads):
            value = self._value((source, index), reads[id(source)], most, build)
            if value is not None:
                variable = Node(source.name, types=[source.types[index]])
                moved[id(source), index] = (variable, 0)
                cuts.append(Cut(variable, value, tuple(reads[id(source)])))
        for node in order:
            if id(node) not in reads:
                node.inputs = tuple(moved.get((id(s), at), (s, at)) for s, at in node.inputs)
        return [moved.get((id(node), at), (node, at)) for node, at in roots], cuts

    def _value(self, edge: Edge, reads: dict[str, Type], most: int, build: Compile) -> Any:
        """Return the value of an edge, which another graph may have made; None: no room."""
        part = topological([edge[0]])
        key = _key(edge, part)
        value = self._values.get(key)
        if value is None:
            kind = edge[0].types[edge[1]]
            if self.nbytes + kind.nbytes > most:
                return None
            made = build(_copied(edge, part, reads))
            slots = [made.inputs[name] for name in reads]
            value = SteadyValue(
                made.instantiate, slots, made.outputs[0], kind.shape, kind.code, self._context
            )
            self._values[key] = value
        return value


def _steady_nodes(
    order: Iterable[Node], parameters: Collection[Node]
) -> dict[int, dict[str, Type]]:
    """Return by node id the parameters that a steady node reads, with their types.

    Constants read none; parameters read themselves.
    """
    order = list(order)
    given = {id(node) for node in parameters}
    changing = {id(source) for node in order for source, _ in node.state_inputs}
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
            if _is_worth_it(node, found):
                reads[id(node)] = found
    return reads


def _is_worth_it(node: Node, reads: dict[str, Type]) -> bool:
    size = sum(kind.nbytes for kind in node.types)
    return size <= max(_FEW_BYTES, _GROWTH * sum(kind.nbytes for kind in reads.values()))


def _border(
    order: Iterable[Node], roots: Iterable[Edge], reads: dict[int, dict[str, Type]]
) -> list[Edge]:
    """Return the results of steady calls that others read, or that are results of the graph."""
    others = [edge for node in order if id(node) not in reads for edge in node.inputs]
    found = {
        (id(node), index): (node, index)
        for node, index in [*others, *roots]
        if not node.is_variable and reads.get(id(node))
    }
    return list(found.values())


def _copied(edge: Edge, part: Sequence[Node], reads: Iterable[str]) -> Lowered:
    """Return a graph of its own for one value: passes change nodes, which others have as well."""
    copies = {id(node): copy(node) for node in part}
    for node in copies.values():
        node.inputs = tuple((copies[id(source)], at) for source, at in node.inputs)
    variables = {node.name: node for node in copies.values() if node.is_variable}
    return Lowered({name: variables[name] for name in reads}, [(copies[id(edge[0])], edge[1])])


def _key(edge: Edge, part: Sequence[Node]) -> Any:
    """Return what tells whether two values are the same: the calls, and what they read."""
    places = {id(node): place for place, node in enumerate(part)}
    calls = tuple(
        (node.name, node.types[0])
        if node.operation is None
        else (node.plan.bound, *((places[id(s)], at) for s, at in node.inputs))
        for node in part
    )
    return calls, places[id(edge[0])], edge[1]
