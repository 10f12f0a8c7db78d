"""Extraction of a group of nodes from a graph as a separate symbol."""

from collections.abc import Iterator, Sequence

from ..node import Edge, Node, Type
from ..symbol import Symbol
from .subgraph import Types

__all__ = ["Users", "extract", "outputs_of_group", "users_of_edges"]

#: Edge -> ids of the nodes that use it.
Users = dict[Edge, set[int]]


def users_of_edges(symbol: Symbol) -> Users:
    """Return the ids of the nodes that use each edge; 0 stands for the outputs of the graph."""
    found: Users = {edge: {0} for edge in symbol.edges}
    for node in symbol.nodes():
        for edge in node.inputs:
            found.setdefault(edge, set()).add(id(node))
    return found


def outputs_of_group(group: Sequence[Node], users: Users) -> list[Edge]:
    """Return the outputs of a group that are used outside of it."""
    inside = {id(node) for node in group}
    return [
        (node, at)
        for node in group
        for at in range(node.num_outputs)
        if not users.get((node, at), inside) <= inside
    ]


def extract(
    group: Sequence[Node], outputs: Sequence[Edge], types: Types, taken: set[str]
) -> tuple[Symbol, dict[str, Edge], dict[int, list[Type]]]:
    """Return a copy of a group as a symbol, the sources of its variables, and its types."""
    inside = {id(node) for node in group}
    made: dict[Edge, Edge] = {}
    variables: dict[str, Edge] = {}
    found: dict[int, list[Type]] = {}
    for node in group:
        for source, index in node.inputs:
            if id(source) in inside or (source, index) in made:
                continue
            name = source.output_names()[index]
            if name in variables or (not source.is_variable and name in taken):
                name = next(n for n in _numbers(name) if n not in variables and n not in taken)
            variable = Node(name, None, (), dict(source.attrs) if source.is_variable else None)
            variable.types = [source.types[index]]
            found[id(variable)] = [types[id(source)][index]]
            variables[name] = (source, index)
            made[source, index] = (variable, 0)
        inputs = [made[edge] for edge in node.inputs]
        copy = Node(node.name, node.operation, inputs, dict(node.attrs), list(node.types))
        copy.plan = node.plan
        found[id(copy)] = types[id(node)]
        made.update({(node, at): (copy, at) for at in range(node.num_outputs)})
    return Symbol([made[edge] for edge in outputs]), variables, found


def _numbers(name: str) -> Iterator[str]:
    count = 1
    while True:
        yield f"{name}_{count}"
        count += 1
