"""`Subgraph`: a graph inside of an operator, cut out of the graph that a Python function has made.

What the function's code reads from outside becomes inputs of the subgraph: parameters, and whatever
was computed before it ran. Invariant: a subgraph shares no node with the graph around it, and what
is known of its shapes is noted nowhere in it, so that it serves inputs of all sizes.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ...base.config import graph_limit
from ...base.recency import Recent
from .._namespace import operators
from ..node import Edge, Node, as_written
from ..symbol import Symbol

__all__ = ["Free", "Subgraph", "cut", "input_positions"]


@dataclass(frozen=True, eq=False)
class Subgraph:
    """A graph inside of an operator.

    Parameters
    ----------
    outputs : sequence of (Node, int)
    variables : sequence of Node or None
        The variable for each input of the operator; None where the subgraph does not read it.
    compiled : Recent
        What it was compiled to, by the types of its inputs and the gradients that are wanted.
    """

    outputs: Sequence[Edge]
    variables: Sequence[Node | None]
    compiled: Recent[Any, Any] = field(default_factory=lambda: Recent(graph_limit()))

    @property
    def symbol(self) -> Symbol:
        """The graph as a symbol."""
        return Symbol(self.outputs)

    @cached_property
    def states(self) -> frozenset[int]:
        """The ids of the variables that are auxiliary states."""
        return frozenset(id(node) for node in self.symbol.state_nodes())


def input_positions(graph: Subgraph) -> list[int]:
    """Return, for each variable of a subgraph in the order of computation, which input it is."""
    at = {node.name: position for position, node in enumerate(graph.variables) if node is not None}
    return [at[name] for name in graph.symbol.list_inputs()]


@dataclass(frozen=True, slots=True)
class Free:
    """Values that a subgraph reads from outside.

    Parameters
    ----------
    edge : (Node, int)
        In the graph around it.
    variable : Node
        In the subgraph.
    """

    edge: Edge
    variable: Node


def cut(outputs: Sequence[Edge], own: Sequence[Node], begin: int) -> tuple[list[Edge], list[Free]]:
    """Return a copy of what a function has made, and what it reads from outside.

    Parameters
    ----------
    outputs : sequence of (Node, int)
        What the function returned.
    own : sequence of Node
        The variables that it was given, which belong to the copy.
    begin : int
        Nodes that were made before the function ran have smaller serials.
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
            variable = Node(_unused(node.output_names()[index], names), attrs=_kept(node))
            free[key] = Free(edge, variable)
        return free[key].variable, 0

    for node in as_written(node for node, _ in outputs):
        is_inside = node.operation is not None and node.serial > begin
        if is_inside and id(node) not in given:
            inputs = [moved(edge) for edge in node.inputs]
            copies[id(node)] = Node(node.name, node.operation, inputs, dict(node.attrs))
    return _of_own([moved(edge) for edge in outputs]), list(free.values())


def _of_own(outputs: Sequence[Edge]) -> list[Edge]:
    """Return outputs that are no inputs and all different, as MXNet wants those of a subgraph."""
    made: list[Edge] = []
    for edge in outputs:
        if edge[0].is_variable or edge in made:
            edge = operators().identity(Symbol([edge])).edges[0]
        made.append(edge)
    return made


def _kept(node: Node) -> dict[str, str]:
    """Return the attributes of a variable; of what was computed outside none."""
    return dict(node.attrs) if node.is_variable else {}


def _unused(name: str, names: set[str]) -> str:
    """Return a name that no other variable of the subgraph has, and note it."""
    found, count = name, 0
    while found in names:
        count += 1
        found = f"{name}_{count}"
    names.add(found)
    return found
