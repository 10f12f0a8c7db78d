"""Grouping of selected nodes into maximal convex subgraphs.

A subgraph is convex if no path leaves it and enters it again; only then can one node replace it
without a cycle. Groups are merged along edges while the contracted graph, whose vertices are groups
and all other nodes, stays acyclic: each merge searches only the part of its topological order that
lies between the two groups.
"""

from collections.abc import Callable, Collection, Sequence

from ..node import Node

__all__ = ["convex_groups"]


def convex_groups(
    order: Sequence[Node],
    selected: Collection[int],
    joins: Callable[[Node, Node], bool] = lambda producer, consumer: True,
) -> list[list[Node]]:
    """Return groups of connected nodes, each of which can be replaced without a cycle.

    No two groups that an edge connects could be merged, unless `joins` forbids it for all edges.

    Parameters
    ----------
    order : sequence of Node
        All nodes of the graph in topological order.
    selected : collection of int
        Ids of the nodes to group.
    joins : callable
        ``joins(producer, consumer)``: whether the edge between two selected nodes may be inside of
        a group.

    Examples
    --------
    >>> from opforge import sym
    >>> x = sym.exp(sym.var("x"), name="a")
    >>> y = sym.sin(x, name="b") + sym.cos(x, name="c")
    >>> nodes = y.nodes()
    >>> chosen = {id(node) for node in nodes if node.name in ("a", "b")}
    >>> [[node.name for node in group] for group in convex_groups(nodes, chosen)]
    [['a', 'b']]
    """
    edges = [
        (source, node)
        for node in order
        if id(node) in selected
        for source in {id(source): source for source, _ in node.inputs}.values()
        if id(source) in selected and joins(source, node)
    ]
    graph = _Contraction(order)
    merged = True
    while merged:
        merged = False
        for source, node in edges:
            merged |= graph.merge(graph.group_of[id(source)], graph.group_of[id(node)])
    groups: dict[int, list[Node]] = {}
    for node in order:
        if id(node) in selected:
            groups.setdefault(graph.group_of[id(node)], []).append(node)
    return list(groups.values())


class _Contraction:
    """The contracted graph: at first each node is a separate group, numbered by its position.

    Variables are left out, since no path leads through them.
    """

    def __init__(self, order: Sequence[Node]) -> None:
        nodes = [node for node in order if not node.is_variable]
        #: Group of each node, by the node's id.
        self.group_of = {id(node): number for number, node in enumerate(nodes)}
        self._members = [[id(node)] for node in nodes]
        self._sources: list[set[int]] = [
            {self.group_of[id(source)] for source, _ in node.inputs if not source.is_variable}
            for node in nodes
        ]
        self._users: list[set[int]] = [set() for _ in nodes]
        for number, sources in enumerate(self._sources):
            for source in sources:
                self._users[source].add(number)
        #: Groups in topological order; None where a merged group was.
        self._ranked: list[int | None] = list(range(len(nodes)))
        self._rank = list(range(len(nodes)))

    def merge(self, first: int, second: int) -> bool:
        """Merge two groups, of which `second` uses `first`; return whether that is possible."""
        if first == second:
            return False
        reached = self._search(first, second)
        if reached is None:
            return False
        low, high = self._rank[first], self._rank[second]
        between = [group for group in self._ranked[low + 1 : high] if group is not None]
        kept = self._unite(first, second)
        ranked = [group for group in between if group not in reached]
        ranked += [kept, *(group for group in between if group in reached)]
        # Unused positions come first, so that those in a chain are not passed again.
        start = high + 1 - len(ranked)
        self._ranked[low : high + 1] = [*[None] * (start - low), *ranked]
        for rank, group in enumerate(ranked, start):
            self._rank[group] = rank
        return True

    def _search(self, first: int, second: int) -> set[int] | None:
        """Return the groups before `second` that use `first`; None if `second` uses one of them."""
        limit = self._rank[second]
        waiting = [group for group in self._users[first] if self._rank[group] < limit]
        reached = set(waiting)
        while waiting:
            for user in self._users[waiting.pop()]:
                if user == second:
                    return None
                if user not in reached and self._rank[user] < limit:
                    reached.add(user)
                    waiting.append(user)
        return reached

    def _unite(self, first: int, second: int) -> int:
        """Move the smaller group into the larger one, which is returned."""
        small, kept = sorted((first, second), key=lambda group: len(self._members[group]))
        for member in self._members[small]:
            self.group_of[member] = kept
        self._members[kept] += self._members[small]
        for near, far in ((self._sources, self._users), (self._users, self._sources)):
            for group in near[small]:
                far[group].discard(small)
                far[group].add(kept)
            near[kept] |= near[small]
            near[kept] -= {small, kept}
            near[small] = set()
        self._members[small] = []
        for table in (self._sources, self._users):
            table[kept] -= {small, kept}
        return kept
