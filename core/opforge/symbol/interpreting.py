"""Graphs that run call by call, as the same calls on arrays do: see `InterpretedExecutor`.

Nothing is compiled. Each operator is called on arrays, and recorded where the thread records.
"""

from collections.abc import Mapping
from typing import Any

from ..base.errors import OpforgeError
from ..native.dispatch.invoking import invoke
from ..op.calling.binding import make_handle
from .node import Edge, Node, as_written, with_subgraphs
from .symbol import Symbol

__all__ = ["call_node", "has_shapes_from_values", "interpret"]


def has_shapes_from_values(symbol: Symbol) -> bool:
    """Tell whether shapes in a graph, or in graphs inside of it, depend on values."""
    operations = (node.operation for node in with_subgraphs(symbol.nodes()))
    return any(called is not None and called.shapes_from_values for called in operations)


def interpret(symbol: Symbol, values: Mapping[str, Any]) -> list[Any]:
    """Compute the outputs of a graph from its variables, call by call.

    Parameters
    ----------
    symbol : Symbol
    values : dict of str to NDArray
        By the names of the variables.

    Returns
    -------
    list of NDArray

    Raises
    ------
    OpforgeError
        The graph has a loop or a branch.
    """
    made: dict[Edge, Any] = {}
    for node in as_written(source for source, _ in symbol.edges):
        inputs = [made[edge] for edge in node.inputs]
        results = [values[node.name]] if node.is_variable else call_node(node, inputs)
        made.update(((node, index), array) for index, array in enumerate(results))
    return [made[edge] for edge in symbol.edges]


def call_node(node: Node, inputs: list[Any]) -> list[Any]:
    """Return the outputs of one call that others may use."""
    operation = node.operation
    assert operation is not None
    if operation.subgraphs:
        raise OpforgeError(
            f"node '{node.name}' ({operation.name}) is a loop or a branch in a graph with shapes "
            "that depend on values, or with sparse arrays, which runs call by call: write it in "
            "hybrid_forward, where it runs on arrays, or keep operators such as boolean_mask, and "
            "sparse arrays, out of this graph"
        )
    handle = operation.bound.handle
    if getattr(operation.entry.prop_class, "elementwise_kernel", None) is not None:
        handle = make_handle(operation.entry)  # graphs have one that infers shapes
    results = invoke(handle, inputs, operation.bound.attributes)
    return list(results) if isinstance(results, list | tuple) else [results]
