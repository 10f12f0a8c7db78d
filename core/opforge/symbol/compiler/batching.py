"""Calls of one weight on rows that are there at once become one call on all rows.

An unrolled cell multiplies the data of each step by the same weight. Few rows take much more time
than their share of many: the weight is read for each of them. So the rows are joined, multiplied
once, and divided again, before the gradient is made, which joins what it is made of likewise.
"""

from collections.abc import Sequence

from ...native import calls
from .._namespace import operators
from ..composition import expand, expanding
from ..node import Edge, Node, topological
from ..symbol import Symbol
from .constants import is_constant
from .lowering import Lowered
from .terms import few_rows

__all__ = ["batch_rows"]

#: So many rows at most: more gain nothing, and what is computed waits in memory for its readers.
_ROWS = 512


def batch_rows(graph: Lowered) -> Lowered:
    """Return a graph in which calls of one weight that do not wait for each other are one.

    Parameters
    ----------
    graph : Lowered
        Its nodes may be changed.
    """
    outputs = graph.outputs
    with expanding():
        for group in _groups(topological(node for node, _ in outputs)):
            order = topological(node for node, _ in outputs)
            parts = _parts(_independent(group, order))
            for node in order if parts else ():
                node.inputs = tuple(parts.get(edge, edge) for edge in node.inputs)
            outputs = [parts.get(edge, edge) for edge in outputs]
    return Lowered(graph.variables, outputs)


def _groups(order: Sequence[Node]) -> list[list[Node]]:
    """Return the calls that differ in their rows alone, in the order in which they were written."""
    groups: dict[object, list[Node]] = {}
    for node in order:
        if _has_few_rows(node):
            key = id(node.plan.bound), node.inputs[1:], tuple(node.types)
            groups.setdefault(key, []).append(node)
    return [sorted(g, key=lambda node: node.serial) for g in groups.values() if len(g) > 1]


def _has_few_rows(node: Node) -> bool:
    """Tell whether a node is a dense layer of rows that are less to copy than its weight is."""
    if node.plan is None or not isinstance(node.plan.compute, calls.Dense):
        return False
    (data, at), (weight, of) = node.inputs[:2]
    if len(data.types[at].shape) != 2:
        return False
    (rows, length), (units, _) = data.types[at].shape, weight.types[of].shape
    return few_rows(rows, length, units)


def _independent(group: Sequence[Node], order: Sequence[Node]) -> list[Node]:
    """Return the calls of a group whose rows depend on none of its results.

    What computes the rows comes before the first call then: nothing among it may draw random
    numbers, change a state, or be an author's, for these keep their order.
    """
    members = {id(node) for node in group}
    waiting: set[int] = set()
    first = group[0].serial
    for node in order:
        kept = node.serial > first and not (node.is_variable or node.is_pure or is_constant(node))
        if kept or any(id(source) in waiting | members for source, _ in node.inputs):
            waiting.add(id(node))
    return [node for node in group if id(node.inputs[0][0]) not in waiting | members]


def _parts(members: Sequence[Node]) -> dict[Edge, Edge]:
    """Return what takes the place of the members' results, where some can be joined."""
    found: dict[Edge, Edge] = {}
    size = max(_ROWS // members[0].types[0].shape[0], 1) if members else 1
    for begin in range(0, len(members), size):
        part = members[begin : begin + size]
        if len({node.inputs[0] for node in part}) > 1:
            found |= _joined(part)
    return found


def _joined(members: Sequence[Node]) -> dict[Edge, Edge]:
    """Return the part of one call on all rows that takes the place of each member's result."""
    place = {edge: k for k, edge in enumerate(dict.fromkeys(node.inputs[0] for node in members))}
    rows = operators().Concat(*(Symbol([edge]) for edge in place), dim=0)
    first = members[0]
    assert first.operation is not None
    called = expand(first.operation, [rows.edges[0], *first.inputs[1:]], first.name)
    parts = operators().SliceChannel(called, num_outputs=len(place), axis=0)
    return {(node, 0): parts[place[node.inputs[0]]].edges[0] for node in members}
