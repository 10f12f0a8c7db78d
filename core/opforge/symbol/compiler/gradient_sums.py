"""Sums of matrix products over rows: the gradient of a weight that is used many times.

Each use adds a product as large as the weight, often over few rows. This pass accumulates such
products in place, and computes those of few rows together, as one product of all their rows. The
products run as soon as their operands are available, so that these are freed early.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from .._namespace import operators
from ..composition import expanding
from ..node import Edge, Node, Operation, topological, with_replacements
from ..symbol import Symbol
from .accumulation import can_add, has_few_rows, sum_of
from .elementwise import elementwise_of

__all__ = ["ProductSums", "join_products"]

#: Larger products gain nothing: for 1024 x 256, 1,120 rows in products of 32 take 7.0 ms, of 128
#: and of 256 5.5 ms.
_ROWS = 256


@dataclass
class ProductSums:
    """Sums that were replaced by products.

    Parameters
    ----------
    replaced : dict of int to Node
        Id of the last addition -> node that now computes the sum.
    products, joined : set of int
        Ids of the terms of sums, and of the nodes that concatenate their operands.
    """

    replaced: dict[int, Node] = field(default_factory=dict)
    products: set[int] = field(default_factory=set)
    joined: set[int] = field(default_factory=set)

    def schedule(self, order: Sequence[Node]) -> list[Node]:
        """Return nodes with products as early as possible, and concatenations just before them.

        Parameters
        ----------
        order : sequence of Node
            In topological order. All other nodes keep their order.
        """
        if not self.products:
            return list(order)
        position: dict[int, int] = {}
        for at, node in enumerate(order):
            reads = (position.get(id(source), -1) for source, _ in node.inputs)
            moves = id(node) in self.products | self.joined
            position[id(node)] = max(reads, default=-1) if moves else at
        late: dict[int, int] = {}
        for node in order:
            for source, _ in node.inputs:
                if id(source) in self.joined:
                    late[id(source)] = min(position[id(node)], late.get(id(source), len(order)))
        position |= late
        return sorted(order, key=lambda node: position[id(node)])


def join_products(outputs: Iterable[Edge], roots: Sequence[Edge]) -> ProductSums:
    """Compute sums of products over rows in place; nodes that read a sum are updated.

    The order of additions changes, and with it the last bits: the first product comes first, terms
    that are not products come last.

    Parameters
    ----------
    outputs : iterable of (Node, int)
        Outputs of the forward graph, which is not modified.
    roots : sequence of (Node, int)
        These outputs and the gradients.
    """
    forward = {id(node) for node in topological(outputs)}
    order = topological(roots)
    backward = [node for node in order if id(node) not in forward]
    sums = {id(node) for node in backward if _is_sum(node)}
    if not sums:
        return ProductSums()
    found = _Sums(roots, backward, sums)
    with expanding():
        for node in order:
            known = found.made.replaced
            node.inputs = with_replacements(node.inputs, known)
            if found.ends_in(node):
                found.join(node)
    return found.made


class _Sums:
    """Sums of a gradient graph, and the number of readers of each node."""

    def __init__(self, roots: Sequence[Edge], order: Sequence[Node], sums: set[int]) -> None:
        self.made = ProductSums()
        self._reads = Counter([id(n) for n, _ in roots])
        self._reads.update([id(n) for node in order for n, _ in node.inputs])
        terms = {id(s) for n in order if id(n) in sums for s, _ in n.inputs}
        self._inner = {key for key in terms & sums if self._reads[key] == 1}
        self._last = sums - self._inner
        #: Concatenations by their operands: several products may share an operand.
        self._joined = {node.inputs: (node, 0) for node in order if _joins_rows(node)}

    def ends_in(self, node: Node) -> bool:
        """Return whether a node is the last addition of a sum."""
        return id(node) in self._last

    def join(self, last: Node) -> None:
        """Rewrite a sum with several products so that they are computed together."""
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
        """Return the terms of a sum, from left to right."""
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
        """Return whether a term is a matrix product with a single reader."""
        node = edge[0]
        return (
            self._reads[id(node)] == 1
            and can_add(edge)
            and all(len(source.types[k].shape) == 2 for source, k in node.inputs)
        )

    def _added(self, products: Sequence[Edge]) -> Edge:
        """Return the sum of products; those of few rows are computed together."""
        found = [self._joined_product(part) for part in self._divided(products)]
        terms = found if len(found) == 1 else sum_of(found)
        self.made.products.update(map(id, terms))
        return terms[-1], 0

    def _joined_product(self, part: Sequence[Edge]) -> Node:
        """Return one product over the rows of several products."""
        if len(part) == 1:
            return part[0][0]
        left, right = (
            Symbol([self._rows_of([node.inputs[side] for node, _ in part])]) for side in (0, 1)
        )
        return operators().dot(left, right, transpose_a=True).edges[0][0]

    def _divided(self, products: Sequence[Edge]) -> list[list[Edge]]:
        """Return groups of products to compute together, preferring operands already joined."""
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
        """Return the concatenated rows of several values."""
        key = tuple(edges)
        if key not in self._joined:
            made = operators().Concat(*(Symbol([edge]) for edge in edges), dim=0).edges[0]
            self.made.joined.add(id(made[0]))
            self._joined[key] = made
        return self._joined[key]


def _is_sum(node: Node) -> bool:
    """Return whether a node adds two values of its own type."""
    how = elementwise_of(node) if node.operation is not None else None
    return (
        how is not None
        and how.kernel == "add"
        and how.kind == "binary"
        and all(source.types[at] == node.types[0] for source, at in node.inputs)
    )


def _joins_rows(node: Node) -> bool:
    """Return whether a node concatenates matrices along their rows."""
    operation = node.operation
    return (
        isinstance(operation, Operation)
        and operation.name == "Concat"
        and len(node.types[0].shape) == 2
        and operation.prop.dim in (0, -2)
    )


def _parts(products: Sequence[Edge]) -> list[list[Edge]]:
    """Return groups of products to compute together: those of few rows."""
    parts: list[list[Edge]] = []
    rows_left = 0
    for edge in products:
        source, at = edge[0].inputs[0]
        rows = source.types[at].shape[0]
        joins = has_few_rows(edge)
        if not joins or rows > rows_left:
            parts.append([])
            rows_left = _ROWS if joins else 0
        parts[-1].append(edge)
        rows_left -= rows
    return parts
