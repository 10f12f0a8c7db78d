"""What monitors and hooks see of a graph: each operator's outputs, and its inputs if wanted."""

from collections.abc import Iterable, Iterator

from .node import Edge, Node

__all__ = ["monitored_values", "watched_values"]


def watched_values(nodes: Iterable[Node], with_inputs: bool) -> Iterator[tuple[str, str, Edge]]:
    """Yield each value's name, its operator and what computes it, in the order of `nodes`.

    Parameters
    ----------
    nodes : iterable of Node
        Of a graph, as ``Symbol.nodes()`` gives them.
    with_inputs : bool
        Whether the inputs of each operator come before its outputs, as ``fc1_weight``.
    """
    for node in nodes:
        if node.operation is None:
            continue
        operator = node.operation.name
        if with_inputs:
            prop = node.operation.prop
            names = [*prop.list_arguments(), *prop.list_auxiliary_states()]
            for name, edge in zip(names, node.inputs, strict=True):
                yield f"{node.name}_{name}", operator, edge
        shown = node.num_visible if node.operation.is_composed else node.num_outputs
        for index, name in enumerate(node.output_names()[:shown]):
            yield name, operator, (node, index)


def monitored_values(nodes: Iterable[Node], with_inputs: bool) -> Iterator[tuple[str, Edge]]:
    """Yield names and what computes them as an executor's monitor has them.

    A variable comes by its own name before it comes by that of the input which it is.
    """
    for name, _, edge in watched_values(nodes, with_inputs):
        if edge[0].is_variable:
            yield edge[0].name, edge
        yield name, edge
