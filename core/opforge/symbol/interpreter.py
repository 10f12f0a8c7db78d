"""Interpretation of graphs, operator by operator; see `InterpretedExecutor`.

Nothing is compiled: each operator is called on arrays, and recorded if recording is on.
"""

from collections.abc import Mapping
from typing import Any

from ..base.errors import OpforgeError
from ..native.dispatch.invoking import invoke
from ..op.calling.binding import make_handle
from .node import Edge, Node, program_order, with_subgraphs
from .symbol import Symbol

__all__ = ["call_node", "has_shapes_from_values", "interpret"]


def has_shapes_from_values(symbol: Symbol) -> bool:
    """Return whether shapes in a graph or its subgraphs depend on values."""
    operations = [node.operation for node in with_subgraphs(symbol.nodes())]
    return any([called.shapes_from_values for called in operations if called is not None])


def interpret(symbol: Symbol, values: Mapping[str, Any]) -> list[Any]:
    """Compute the outputs of a graph from its variables, operator by operator.

    Parameters
    ----------
    symbol : Symbol
    values : dict of str to NDArray
        Arrays by variable name.

    Returns
    -------
    list of NDArray

    Raises
    ------
    OpforgeError
        The graph has a loop or a branch.
    """
    made: dict[Edge, Any] = {}
    for node in program_order(symbol.edges):
        inputs = [made[edge] for edge in node.inputs]
        results = [values[node.name]] if node.is_variable else call_node(node, inputs)
        made.update(((node, index), array) for index, array in enumerate(results))
    return [made[edge] for edge in symbol.edges]


def call_node(node: Node, inputs: list[Any]) -> list[Any]:
    """Return the visible outputs of one call."""
    operation = node.operation
    assert operation is not None
    if operation.subgraphs:
        raise OpforgeError(
            f"node '{node.name}' ({operation.name}) is a loop or a branch in a graph that runs "
            "operator by operator, because shapes depend on values or arrays are sparse: write it "
            "in hybrid_forward, where it runs on arrays, or remove operators such as boolean_mask, "
            "and sparse arrays, from this graph"
        )
    handle = operation.bound.handle
    if getattr(operation.entry.prop_class, "elementwise_kernel", None) is not None:
        handle = make_handle(operation.entry)  # the handle of graphs infers shapes
    results = invoke(handle, inputs, operation.bound.attributes)
    return list(results) if isinstance(results, list | tuple) else [results]
