"""Values that monitors and hooks observe: outputs of each operator, and inputs on request."""

from collections.abc import Iterable, Iterator

from .monitor_names import input_names, numbered_outputs
from .node import Edge, Node

__all__ = ["hooked_values", "monitored_values"]


def _inputs(node: Node, with_inputs: bool) -> Iterator[tuple[str, Edge]]:
    """Yield name and edge of each input of a node, such as ``fc1_weight``, if requested."""
    assert node.operation is not None
    if with_inputs:
        for name, edge in zip(input_names(node.operation), node.inputs, strict=True):
            yield f"{node.name}_{name}", edge


def _num_shown(node: Node) -> int:
    """Return the number of outputs of a node that have values."""
    assert node.operation is not None
    return node.num_visible if node.operation.is_composed else node.num_outputs


def hooked_values(
    nodes: Iterable[Node], with_inputs: bool, with_hidden: bool
) -> Iterator[tuple[str, str, Edge]]:
    """Yield name, operator and edge of each value, as for hooks of blocks.

    Parameters
    ----------
    nodes : iterable of Node
        Nodes of a graph, as returned by ``Symbol.nodes()``.
    with_inputs : bool
        Whether to yield the inputs of each operator, before its outputs.
    with_hidden : bool
        Whether to include outputs that only the backward pass reads.
    """
    for node in nodes:
        if node.operation is None:
            continue
        operator = node.operation.name
        for name, edge in _inputs(node, with_inputs):
            yield name, operator, edge
        count = _num_shown(node) if with_hidden else node.num_visible
        for index, name in enumerate(numbered_outputs(node)[:count]):
            yield name, operator, (node, index)


def monitored_values(nodes: Iterable[Node], with_inputs: bool) -> Iterator[tuple[str, Edge]]:
    """Yield name and edge of each value, as for an executor's monitor.

    A variable is yielded by its own name and then by the name of the input. Outputs that only the
    backward pass reads are included.
    """
    for node in nodes:
        if node.operation is None:
            continue
        for name, edge in _inputs(node, with_inputs):
            if edge[0].is_variable:
                yield edge[0].name, edge
            yield name, edge
        for index, name in enumerate(node.output_names()[: _num_shown(node)]):
            yield name, (node, index)
