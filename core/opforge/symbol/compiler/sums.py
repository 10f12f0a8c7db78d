"""Sums of products over rows: a weight's gradient where the weight is used again and again.

Each use adds a product of matrices, as large as the weight, often over few rows. Here such products
add to one sum in place, and those of few rows are computed together, as one product of all their
rows. What they read is needed no longer then, so they run as soon as it is there.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from .._namespace import operators
from ..composition import expanding
from ..node import Edge, Node, Operation, topological
from ..symbol import Symbol
from .elementwise import elementwise_of
from .terms import can_add, has_few_rows, sum_of

__all__ = ["ProductSums", "join_products"]

#: Products of more rows gain nothing: of 1024 x 256, 1,120 rows in products of 32 take 7.0 ms, of
#: 128 5.5, of 256 5.5.
_ROWS = 256


@dataclass
class ProductSums:
    """Replacements of sums by products.

    Parameters
    ----------
    replaced : dict of int to Node
        By the id of the last addition, what gives the sum now.
    products, joined : set of int
        Ids of the nodes that sums are made of, and of those that join what products read.
    """

    replaced: dict[int, Node] = field(default_factory=dict)
    products: set[int] = field(default_factory=set)
    joined: set[int] = field(default_factory=set)

    def in_time(self, order: Sequence[Node]) -> list[Node]:
        """Return nodes so that products come as soon as they can, and joins just before them.

        Parameters
        ----------
        order : sequence of Node
            Inputs before their users. All other nodes keep their order.
        """
        place: dict[int, int] = {}
        for at, node in enumerate(order):
            reads = (place.get(id(source), -1) for source, _ in node.inputs)
            moves = id(node) in self.products | self.joined
            place[id(node)] = max(reads, default=-1) if moves else at
        late: dict[int, int] = {}
        for node in order:
            for source, _ in node.inputs:
                if id(source) in self.joined:
                    late[id(source)] = min(place[id(node)], late.get(id(source), len(order)))
        place |= late
        return sorted(order, key=lambda node: place[id(node)])


def join_products(outputs: Iterable[Edge], roots: Sequence[Edge]) -> ProductSums:
    """Compute sums of products over rows in place; readers of sums are given the new nodes.

    The order of additions changes, and with it the last bits: the first product comes first,
    terms that are no products last.

    Parameters
    ----------
    outputs : iterable of (Node, int)
        Of the forward graph, which stays as it is.
    roots : sequence of (Node, int)
        Those, and the gradients.
    """
    forward = {id(node) for node in topological(node for node, _ in outputs)}
    order = topological(node for node, _ in roots)
    found = _Sums(roots, [node for node in order if id(node) not in forward])
    with expanding():
        for node in order:
            known = found.made.replaced
            node.inputs = tuple((known.get(id(source), source), at) for source, at in node.inputs)
            if found.ends_in(node):
                found.join(node)
    return found.made


class _Sums:
    """The sums of a gradient graph, and who reads what."""

    def __init__(self, roots: Sequence[Edge], order: Sequence[Node]) -> None:
        self.made = ProductSums()
        self._reads = Counter(id(n) for n, _ in [*roots, *(e for n in order for e in n.inputs)])
        sums = {id(node) for node in order if _is_sum(node)}
        terms = {id(s) for n in order if id(n) in sums for s, _ in n.inputs}
        self._inner = {key for key in terms & sums if self._reads[key] == 1}
        self._last = sums - self._inner
        #: By the values that are joined: they may be operands of several products.
        self._joined = {node.inputs: (node, 0) for node in order if _joins_rows(node)}

    def ends_in(self, node: Node) -> bool:
        """Tell whether a node is the last addition of a sum."""
        return id(node) in self._last

    def join(self, last: Node) -> None:
        """Give a sum the form in which its products are computed together, if it has several."""
        products: list[Edge] = []
        others: list[Edge] = []
        for edge in self._terms(last):
            (products if self._is_product(edge) else others).append(edge)
        if len(products) < 2:
            return
        total = self._added(products)
        for edge in others:
            total = operators().elemwise_add(Symbol([total]), Symbol([edge])).edges[0]
        self.made.replaced[id(last)] = total[0]

    def _terms(self, last: Node) -> list[Edge]:
        """Return what a sum adds up, from left to right."""
        found: list[Edge] = []
        waiting = [*reversed(last.inputs)]
        while waiting:
            edge = waiting.pop()
            if id(edge[0]) in self._inner:
                waiting += reversed(edge[0].inputs)
            else:
                found.append(edge)
        return found

    def _is_product(self, edge: Edge) -> bool:
        """Tell whether a term is a product of matrices that nobody else reads."""
        node = edge[0]
        return (
            self._reads[id(node)] == 1
            and can_add(edge)
            and all(len(source.types[k].shape) == 2 for source, k in node.inputs)
        )

    def _added(self, products: Sequence[Edge]) -> Edge:
        """Return the sum of some products, those of few rows computed together."""
        found = [self._joined_product(part) for part in self._divided(products)]
        terms = found if len(found) == 1 else sum_of(found)
        self.made.products.update(map(id, terms))
        return terms[-1], 0

    def _joined_product(self, part: Sequence[Edge]) -> Node:
        """Return one product of the rows of some."""
        if len(part) == 1:
            return part[0][0]
        left, right = (
            Symbol([self._rows_of([node.inputs[side] for node, _ in part])]) for side in (0, 1)
        )
        return operators().dot(left, right, transpose_a=True).edges[0][0]

    def _divided(self, products: Sequence[Edge]) -> list[list[Edge]]:
        """Return which products are computed together, as their left rows are joined anyway."""
        rest = {node.inputs[0]: (node, at) for node, at in products}
        if len(rest) < len(products):
            return _parts(products)
        found = []
        for edges, (joining, _) in self._joined.items():
            if rest.keys() >= set(edges):
                found.append([rest.pop(edge) for edge in edges])
                self.made.joined.add(id(joining))
        return found + _parts(list(rest.values()))

    def _rows_of(self, edges: Sequence[Edge]) -> Edge:
        """Return the rows of several values as those of one."""
        key = tuple(edges)
        if key not in self._joined:
            made = operators().Concat(*(Symbol([edge]) for edge in edges), dim=0).edges[0]
            self.made.joined.add(id(made[0]))
            self._joined[key] = made
        return self._joined[key]


def _is_sum(node: Node) -> bool:
    """Tell whether a node adds two values of its own type."""
    how = elementwise_of(node) if node.operation is not None else None
    return (
        how is not None
        and how.kernel == "add"
        and how.kind == "binary"
        and all(source.types[at] == node.types[0] for source, at in node.inputs)
    )


def _joins_rows(node: Node) -> bool:
    """Tell whether a node joins matrices, rows behind rows."""
    operation = node.operation
    return (
        isinstance(operation, Operation)
        and operation.name == "Concat"
        and len(node.types[0].shape) == 2
        and operation.prop.dim in (0, -2)
    )


def _parts(products: Sequence[Edge]) -> list[list[Edge]]:
    """Return which products are computed together: those of few rows are."""
    parts: list[list[Edge]] = []
    room = 0
    for edge in products:
        source, at = edge[0].inputs[0]
        rows = source.types[at].shape[0]
        joins = has_few_rows(edge)
        if not joins or rows > room:
            parts.append([])
            room = _ROWS if joins else 0
        parts[-1].append(edge)
        room -= rows
    return parts
