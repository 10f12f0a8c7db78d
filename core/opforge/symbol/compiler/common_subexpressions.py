"""Elimination of common subexpressions in the forward and the gradient graph."""

from collections.abc import Iterable

from ..node import Edge, Node, topological, with_replacements

__all__ = ["merge_equal_calls"]


def merge_equal_calls(roots: Iterable[Edge]) -> dict[int, Node]:
    """Return the replacement of each redundant node, by node id; other nodes are not in the dict.

    Only native calls are merged: equal inputs give equal results, and they have no side effects.
    """
    replaced: dict[int, Node] = {}
    known: dict[object, Node] = {}
    for node in topological(roots):
        node.inputs = with_replacements(node.inputs, replaced)
        if not node.is_pure:
            continue
        key = (id(node.plan.bound), node.inputs)
        first = known.setdefault(key, node)
        if first is not node:
            replaced[id(node)] = first
    return replaced
