"""Removal of the conversions of mixed precision from graphs, on request when they are saved."""

from collections.abc import Sequence

from ..node import Edge, Node, topological

__all__ = ["without_amp_casts"]

_CASTS = ("amp_cast", "amp_multicast")


def without_amp_casts(edges: Sequence[Edge]) -> Sequence[Edge]:
    """Return the outputs of the same graph with conversions replaced by their inputs.

    A graph without conversions is returned unchanged.
    """
    order = topological(edges)
    if not any(_is_cast(node) for node in order):
        return edges
    made: dict[Edge, Edge] = {}
    for node in order:
        inputs = [made[edge] for edge in node.inputs]
        if _is_cast(node):
            made.update(((node, at), edge) for at, edge in enumerate(inputs))
            continue
        copy = Node(node.name, node.operation, inputs, dict(node.attrs))
        made.update(((node, at), (copy, at)) for at in range(node.num_outputs))
    return [made[edge] for edge in edges]


def _is_cast(node: Node) -> bool:
    return node.operation is not None and node.operation.name in _CASTS
