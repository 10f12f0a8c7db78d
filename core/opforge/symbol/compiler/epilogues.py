"""Epilogue fusion: elementwise operators are merged into the operator that computes their input.

An operator that declares `epilogues` applies such steps while its result is still in a register or
a cache. A chain of nodes is merged if each node is a supported step that works on the value before
it, and only the last value is read by other nodes. The other operand of a step may be a number, an
array of the result's shape, a vector along an axis, or an earlier value of the chain.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...base.dtypes import NAMES
from ...native.calls.epilogue import MAX_EARLIER, MAX_LENGTH, Epilogue
from ...op.declaring.epilogue import dtypes_of_epilogues
from ...op.declaring.errors import wrapping
from ..node import Edge, Node, Type, state_ids, topological, with_replacements
from .elementwise import elementwise_of
from .fused_program import spread

__all__ = ["EpilogueOperation", "merge_epilogues", "operand_source"]

_ORDERED = ("subtract", "divide")  # not commutative


@dataclass(frozen=True, slots=True)
class EpilogueOperation:
    """The operator of another node, with an epilogue.

    Parameters
    ----------
    plan : Plan
        Plan of the other node.
    computation : Computation
        Computation with the epilogue; its inputs are those of the operator, then the operands of
        the steps.
    name : str
        For errors.
    n_arguments : int
        Number of inputs, without auxiliary states.
    """

    plan: Any
    computation: Any
    name: str
    n_arguments: int

    num_visible = 1

    def output_names(self) -> list[str]:
        """Return the name of the output."""
        return ["output"]


def merge_epilogues(roots: Iterable[Edge]) -> dict[int, Node]:
    """Merge epilogues; return the replacement of each chain by the id of the chain's last node.

    Parameters
    ----------
    roots : iterable of (Node, int)
        Outputs of a graph and of its gradient. Nodes that read a replaced node are updated.
    """
    roots = list(roots)
    order = topological(roots)
    graph = _Graph(roots, order)
    replaced: dict[int, Node] = {}
    taken: set[int] = set()
    # Reverse order: if two results are added, the earlier one becomes the operand of the later.
    for node in reversed(order):
        if not node.is_variable and id(node) not in taken and graph.takes_epilogue(node):
            chain = _Chain(graph, node, taken).extended()
            if len(chain) > 1:
                taken.update(map(id, chain))
                replaced[id(chain[-1])] = _merge_chain(chain)
    if replaced:
        _rewire([*roots, *[(node, 0) for node in replaced.values()]], replaced)
    return replaced


def _epilogues_of(node: Node) -> Sequence[str]:
    """Return the epilogue steps that the operator of a node supports."""
    names: Sequence[str] = getattr(node.plan.bound.prop, "epilogues", ())
    return names


def _has_dtype(node: Node) -> bool:
    """Return whether the operator of a node supports steps on results of its dtype."""
    return NAMES[node.types[0].code] in dtypes_of_epilogues(node.plan.bound.prop)


def _rewire(roots: Iterable[Edge], replaced: Mapping[int, Node]) -> None:
    for node in topological(roots):
        node.inputs = with_replacements(node.inputs, replaced)


class _Graph:
    """Readers and topological positions of the nodes of a graph."""

    def __init__(self, roots: Sequence[Edge], order: Sequence[Node]) -> None:
        self.rank = {id(node): at for at, node in enumerate(order)}
        self.kept = {id(node) for node, _ in roots}
        self.readers: dict[int, list[Node]] = {}
        for node in order:
            for source, _ in node.inputs:
                self.readers.setdefault(id(source), []).append(node)
        self.states = state_ids(order)

    def takes_epilogue(self, node: Node) -> bool:
        """Return whether a node's operator supports steps and may run at a later position."""
        if node.num_outputs != 1 or not node.is_pure:
            return False
        if not node.plan.is_native or not _epilogues_of(node) or not _has_dtype(node):
            return False
        return self.states.isdisjoint([id(source) for source, _ in node.inputs])


class _Chain:
    """A node and the nodes that may become its epilogue, in order."""

    def __init__(self, graph: _Graph, first: Node, taken: set[int]) -> None:
        self.graph = graph
        self.nodes = [first]
        self.members = {id(first)}
        self.taken = taken
        self.supported = frozenset(_epilogues_of(first))

    def extended(self) -> list[Node]:
        """Return the longest chain whose inner values have no other readers; at least the node."""
        longest = 1
        while len(self.nodes) <= MAX_LENGTH:
            found = self._next()
            if found is None:
                break
            self.nodes.append(found)
            self.members.add(id(found))
            if self._is_closed():
                longest = len(self.nodes)
        return self.nodes[:longest]

    def _next(self) -> Node | None:
        """Return the first reader of the last value that is a supported step."""
        last = self.nodes[-1]
        readers = {id(node): node for node in self.graph.readers.get(id(last), ())}
        for node in sorted(readers.values(), key=lambda node: self.graph.rank[id(node)]):
            if id(node) not in self.members | self.taken and self._is_step(node, last):
                return node
        return None

    def _is_step(self, node: Node, last: Node) -> bool:
        how = elementwise_of(node)
        if how is None or how.kernel not in self.supported or node.types[0] != last.types[0]:
            return False
        others = [edge for edge in node.inputs if id(edge[0]) not in self.members]
        return all(operand_source(n.types[at], last.types[0]) is not None for n, at in others)

    def _is_closed(self) -> bool:
        """Return whether only the last value is read outside, and few values are read again."""
        again: set[int] = set()
        for at, node in enumerate(self.nodes[:-1]):
            readers = self.graph.readers[id(node)]
            if id(node) in self.graph.kept or any(id(r) not in self.members for r in readers):
                return False
            if any(reader is not self.nodes[at + 1] for reader in readers):
                again.add(id(node))
        return len(again) <= MAX_EARLIER


def _merge_chain(chain: Sequence[Node]) -> Node:
    """Return the node that computes a chain."""
    first, last = chain[0], chain[-1]
    value = {id(node): at for at, node in enumerate(chain)}
    operands: list[Edge] = []
    steps = [_step(node, at, value, operands) for at, node in enumerate(chain[1:])]
    inputs = [*first.inputs, *operands]
    name = "+".join(dict.fromkeys(node.name for node in chain if node.name))
    with wrapping(first.plan.bound.handle.entry, "with_epilogue", first.plan.in_shapes):
        computation = first.plan.compute.with_epilogue(Epilogue(steps))
    operation: Any = EpilogueOperation(first.plan, computation, name, len(inputs))
    merged = Node(name, operation, inputs, types=list(last.types))
    # It runs at the position of its last operator.
    merged.serial = last.serial
    return merged


def _step(
    node: Node, at: int, value: Mapping[int, int], operands: list[Edge]
) -> tuple[str, Any, bool]:
    """Return a step as `Epilogue` takes it; the value before it has index `at`."""
    how = elementwise_of(node)
    assert how is not None
    if how.kind == "unary":
        return how.kernel, None, False
    if how.kind == "scalar":
        return how.kernel, how.number, how.reverse and how.kernel in _ORDERED
    left, right = node.inputs
    is_reversed = value.get(id(left[0])) != at
    edge = left if is_reversed else right
    reverse = is_reversed and how.kernel in _ORDERED
    earlier = value.get(id(edge[0]))
    if earlier is not None:
        return how.kernel, ("value", earlier), reverse
    operands.append(edge)
    return how.kernel, operand_source(edge[0].types[edge[1]], node.types[0]), reverse


def operand_source(source: Type, target: Type) -> tuple[Any, ...] | None:
    """Return how a step for a `target` result reads an array, as `Epilogue` takes it.

    Examples
    --------
    >>> operand_source(Type((1, 3, 1, 1), 0), Type((2, 3, 4, 4), 0))
    ('spread', 16, 3, 1)
    >>> operand_source(Type((1, 3, 1, 1, 8), 0), Type((2, 3, 4, 4, 8), 0))
    ('spread', 128, 3, 8)
    """
    if source == target:
        return ("full",)
    rows = spread(source, target)
    return None if rows is None else ("spread", *rows)
