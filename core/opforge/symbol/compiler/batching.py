"""Batching of dense layers: calls with one weight and independent rows become a single call.

An unrolled cell multiplies the data of each step by the same weight. With few rows per call, most
of the time is spent on reading the weight again. This pass concatenates the rows, multiplies once
and splits the result. It runs before differentiation, so the gradient is batched in the same way.
"""

from collections.abc import Sequence

from ...native import calls
from .._namespace import operators
from ..composition import expand, expanding
from ..node import Edge, Node, topological
from ..symbol import Symbol
from .accumulation import few_rows
from .constants import is_constant
from .lowering import Lowered

__all__ = ["batch_rows"]

#: Most rows per call: more gain nothing, and all results stay in memory until they are read.
_ROWS = 512


def batch_rows(graph: Lowered) -> Lowered:
    """Return a graph in which independent calls with the same weight are one call.

    Parameters
    ----------
    graph : Lowered
        Its nodes may be modified.
    """
    outputs = graph.outputs
    groups = _groups(topological(outputs))
    if not groups:
        return graph
    with expanding():
        for group in groups:
            order = topological(outputs)
            parts = _replacements(_independent_calls(group, order))
            for node in order if parts else ():
                node.inputs = tuple(parts.get(edge, edge) for edge in node.inputs)
            outputs = [parts.get(edge, edge) for edge in outputs]
    return Lowered(graph.variables, outputs)


def _groups(order: Sequence[Node]) -> list[list[Node]]:
    """Return groups of calls that differ only in their rows, in program order."""
    groups: dict[object, list[Node]] = {}
    for node in order:
        if _has_few_rows(node):
            key = id(node.plan.bound), node.inputs[1:], tuple(node.types)
            groups.setdefault(key, []).append(node)
    return [sorted(g, key=lambda node: node.serial) for g in groups.values() if len(g) > 1]


def _has_few_rows(node: Node) -> bool:
    """Return whether a node is a dense layer whose rows are cheaper to copy than its weight."""
    if node.plan is None or not isinstance(node.plan.compute, calls.Dense):
        return False
    (data, at), (weight, of) = node.inputs[:2]
    if len(data.types[at].shape) != 2:
        return False
    (rows, length), (units, _) = data.types[at].shape, weight.types[of].shape
    return few_rows(rows, length, units)


def _independent_calls(group: Sequence[Node], order: Sequence[Node]) -> list[Node]:
    """Return the calls of a group whose rows depend on none of its results.

    Their rows will be computed before the first call of the group. Nodes that draw random numbers,
    change a state or call a custom operator must therefore not be among their ancestors: those
    keep their order.
    """
    members = {id(node) for node in group}
    waiting: set[int] = set()
    first = group[0].serial
    for node in order:
        kept = node.serial > first and not (node.is_variable or node.is_pure or is_constant(node))
        if kept or any(id(source) in waiting | members for source, _ in node.inputs):
            waiting.add(id(node))
    return [node for node in group if id(node.inputs[0][0]) not in waiting | members]


def _replacements(members: Sequence[Node]) -> dict[Edge, Edge]:
    """Return replacements for the results of calls that are batched."""
    found: dict[Edge, Edge] = {}
    size = max(_ROWS // members[0].types[0].shape[0], 1) if members else 1
    for begin in range(0, len(members), size):
        part = members[begin : begin + size]
        if len({node.inputs[0] for node in part}) > 1:
            found |= _batch_calls(part)
    return found


def _batch_calls(members: Sequence[Node]) -> dict[Edge, Edge]:
    """Return the part of one call on all rows that takes the positions of each member's result."""
    positions = {
        edge: k for k, edge in enumerate(dict.fromkeys(node.inputs[0] for node in members))
    }
    rows = operators().Concat(*(Symbol([edge]) for edge in positions), dim=0)
    first = members[0]
    assert first.operation is not None
    called = Symbol(expand(first.operation, [rows.edges[0], *first.inputs[1:]], first.name))
    parts = operators().SliceChannel(called, num_outputs=len(positions), axis=0)
    return {(node, 0): parts[positions[node.inputs[0]]].edges[0] for node in members}
