"""`Subgraph`: a graph inside an operator, cut out of the graph that a Python function created.

Outer values that the function reads become inputs of the subgraph: parameters, and results computed
before. Invariant: a subgraph shares no node with the surrounding graph and stores no known shapes,
so it serves inputs of all sizes.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ...base.config import graph_limit
from ...base.lru_cache import LRUCache
from .._namespace import operators
from ..node import Edge, Node, program_order
from ..symbol import Symbol

__all__ = ["Free", "Subgraph", "cut", "input_positions"]


@dataclass(frozen=True, eq=False)
class Subgraph:
    """A graph inside an operator.

    Parameters
    ----------
    outputs : sequence of (Node, int)
    variables : sequence of Node or None
        Variable of each input of the operator; None if the subgraph does not read it.
    compiled : LRUCache
        Compiled programs, by input types and requested gradients.
    """

    outputs: Sequence[Edge]
    variables: Sequence[Node | None]
    compiled: LRUCache[Any, Any] = field(default_factory=lambda: LRUCache(graph_limit()))

    @property
    def symbol(self) -> Symbol:
        """The graph as a symbol."""
        return Symbol(self.outputs)

    @cached_property
    def states(self) -> frozenset[int]:
        """Ids of the variables that are auxiliary states."""
        return frozenset(id(node) for node in self.symbol.state_nodes())


def input_positions(graph: Subgraph) -> list[int]:
    """Return the input position of each variable of a subgraph, in topological order."""
    at = {node.name: position for position, node in enumerate(graph.variables) if node is not None}
    return [at[name] for name in graph.symbol.list_inputs()]


@dataclass(frozen=True, slots=True)
class Free:
    """A value that a subgraph reads from the surrounding graph.

    Parameters
    ----------
    edge : (Node, int)
        Value in the surrounding graph.
    variable : Node
        Variable in the subgraph.
    """

    edge: Edge
    variable: Node


def cut(outputs: Sequence[Edge], own: Sequence[Node], begin: int) -> tuple[list[Edge], list[Free]]:
    """Return a copy of the graph that a function created, and the outer values that it reads.

    Parameters
    ----------
    outputs : sequence of (Node, int)
        Outputs that the function returned.
    own : sequence of Node
        Variables that were passed to it; they are part of the copy.
    begin : int
        Serial number before the call: nodes created earlier have smaller ones.
    """
    given = {id(node) for node in own}
    copies: dict[int, Node] = {id(node): node for node in own}
    names = {node.name for node in own}
    free: dict[tuple[int, int], Free] = {}

    def moved(edge: Edge) -> Edge:
        node, index = edge
        if id(node) in copies:
            return copies[id(node)], index
        key = (id(node), index)
        if key not in free:
            variable = Node(
                _reserve_name(node.output_names()[index], names), attrs=_variable_attributes(node)
            )
            free[key] = Free(edge, variable)
        return free[key].variable, 0

    for node in program_order(outputs):
        is_inside = node.operation is not None and node.serial > begin
        if is_inside and id(node) not in given:
            inputs = [moved(edge) for edge in node.inputs]
            copies[id(node)] = Node(node.name, node.operation, inputs, dict(node.attrs))
    return _of_own([moved(edge) for edge in outputs]), list(free.values())


def _of_own(outputs: Sequence[Edge]) -> list[Edge]:
    """Return distinct outputs that are not inputs, as MXNet requires for subgraphs."""
    made: list[Edge] = []
    for edge in outputs:
        if edge[0].is_variable or edge in made:
            edge = operators().identity(Symbol([edge])).edges[0]
        made.append(edge)
    return made


def _variable_attributes(node: Node) -> dict[str, str]:
    """Return the attributes of a variable; none for a computed value."""
    return dict(node.attrs) if node.is_variable else {}


def _reserve_name(name: str, names: set[str]) -> str:
    """Return a variable name that is unused in the subgraph, and reserve it."""
    found, count = name, 0
    while found in names:
        count += 1
        found = f"{name}_{count}"
    names.add(found)
    return found
