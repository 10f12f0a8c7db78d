"""Equal calls are made once: common subexpressions of the forward and the gradient graph."""

from collections.abc import Iterable

from ..node import Edge, Node, topological

__all__ = ["merge_equal_calls"]


def merge_equal_calls(roots: Iterable[Edge]) -> dict[int, Node]:
    """Return by node id which node is to take its place; nodes that stay are left out.

    Only native calls count: they give equal results for equal inputs, and change nothing.
    """
    replaced: dict[int, Node] = {}
    known: dict[object, Node] = {}
    for node in topological(node for node, _ in roots):
        inputs = tuple((replaced.get(id(source), source), index) for source, index in node.inputs)
        node.inputs = inputs
        if not node.is_pure:
            continue
        key = (id(node.plan.bound), tuple((id(source), index) for source, index in inputs))
        first = known.setdefault(key, node)
        if first is not node:
            replaced[id(node)] = first
    return replaced
