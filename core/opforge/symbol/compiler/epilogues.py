"""Elementwise operators join the operator whose result they take: they become its epilogue.

An operator that declares `epilogues` does such steps while its result is still in a register or a
cache. A run of nodes is taken if each is one of these steps, each works on the value before it, and
nothing outside reads a value but the last. What it does with its other operand does not matter: a
number, an array like the result, a vector along an axis, or an earlier value of the run.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...native.calls.epilogue import MOST_EARLIER, MOST_LENGTH, Epilogue
from ...op.declaring.errors import wrapping
from ..node import Edge, Node, Type, topological
from .elementwise import elementwise_of
from .fused_program import spread

__all__ = ["EpilogueOperation", "merge_epilogues", "placed"]

_FLOATING = (0, 1)  # float32, float64: what epilogues are computed in
_ORDERED = ("subtract", "divide")  # of which the left operand is another than the right one


@dataclass(frozen=True, slots=True)
class EpilogueOperation:
    """The operator of another node with an epilogue.

    Parameters
    ----------
    plan : Plan
        Of the other node.
    computation : Computation
        With the epilogue; its inputs are the operator's, then the operands of steps.
    name : str
        For errors.
    n_arguments : int
        How many inputs the node has, which are no auxiliary states.
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
    """Return by node id which node takes its place; the last of each run is replaced.

    Parameters
    ----------
    roots : iterable of (Node, int)
        Outputs of a graph and of its gradient. Readers of what is replaced are given the new nodes.
    """
    roots = list(roots)
    order = topological(node for node, _ in roots)
    graph = _Graph(roots, order)
    replaced: dict[int, Node] = {}
    taken: set[int] = set()
    # The last first: of two results that are added, the one that is there is the other's operand.
    for node in reversed(order):
        if id(node) not in taken and graph.takes_epilogue(node):
            run = _Run(graph, node, taken).grown()
            if len(run) > 1:
                taken.update(map(id, run))
                replaced[id(run[-1])] = _merged(run)
    if replaced:
        _rewire([*roots, *((node, 0) for node in replaced.values())], replaced)
    return replaced


def _epilogues_of(node: Node) -> Sequence[str]:
    """Return the steps that the operator of a node does."""
    names: Sequence[str] = getattr(node.plan.bound.prop, "epilogues", ())
    return names


def _rewire(roots: Iterable[Edge], replaced: Mapping[int, Node]) -> None:
    for node in topological(node for node, _ in roots):
        node.inputs = tuple((replaced.get(id(source), source), at) for source, at in node.inputs)


class _Graph:
    """Readers and positions of the nodes of a graph."""

    def __init__(self, roots: Sequence[Edge], order: Sequence[Node]) -> None:
        self.rank = {id(node): at for at, node in enumerate(order)}
        self.kept = {id(node) for node, _ in roots}
        self.readers: dict[int, list[Node]] = {}
        self.states: set[int] = set()
        for node in order:
            for source, _ in node.inputs:
                self.readers.setdefault(id(source), []).append(node)
            self.states.update(id(source) for source, _ in node.state_inputs)

    def takes_epilogue(self, node: Node) -> bool:
        """Tell whether the operator of a node does steps, and may do them later than it stands."""
        if not node.is_pure or not node.plan.is_native or node.num_outputs != 1:
            return False
        if node.types[0].code not in _FLOATING or not _epilogues_of(node):
            return False
        return all(id(source) not in self.states for source, _ in node.inputs)


class _Run:
    """A node and those that may become its epilogue, in their order."""

    def __init__(self, graph: _Graph, first: Node, taken: set[int]) -> None:
        self.graph = graph
        self.nodes = [first]
        self.members = {id(first)}
        self.taken = taken
        self.can = frozenset(_epilogues_of(first))

    def grown(self) -> list[Node]:
        """Return the longest run whose values nobody else reads; the node itself may be all."""
        longest = 1
        while len(self.nodes) <= MOST_LENGTH:
            found = self._next()
            if found is None:
                break
            self.nodes.append(found)
            self.members.add(id(found))
            if self._is_closed():
                longest = len(self.nodes)
        return self.nodes[:longest]

    def _next(self) -> Node | None:
        """Return the first reader of the last value that is a step."""
        last = self.nodes[-1]
        readers = {id(node): node for node in self.graph.readers.get(id(last), ())}
        for node in sorted(readers.values(), key=lambda node: self.graph.rank[id(node)]):
            if id(node) not in self.members | self.taken and self._is_step(node, last):
                return node
        return None

    def _is_step(self, node: Node, last: Node) -> bool:
        how = elementwise_of(node)
        if how is None or how.kernel not in self.can or node.types[0] != last.types[0]:
            return False
        others = [edge for edge in node.inputs if id(edge[0]) not in self.members]
        return all(placed(n.types[at], last.types[0]) is not None for n, at in others)

    def _is_closed(self) -> bool:
        """Tell whether all values but the last are read within the run, and few of them again."""
        again: set[int] = set()
        for at, node in enumerate(self.nodes[:-1]):
            readers = self.graph.readers[id(node)]
            if id(node) in self.graph.kept or any(id(r) not in self.members for r in readers):
                return False
            if any(reader is not self.nodes[at + 1] for reader in readers):
                again.add(id(node))
        return len(again) <= MOST_EARLIER


def _merged(run: Sequence[Node]) -> Node:
    """Return the node that computes a run."""
    first, last = run[0], run[-1]
    value = {id(node): at for at, node in enumerate(run)}
    operands: list[Edge] = []
    steps = [_step(node, at, value, operands) for at, node in enumerate(run[1:])]
    inputs = [*first.inputs, *operands]
    name = "+".join(dict.fromkeys(node.name for node in run if node.name))
    with wrapping(first.plan.bound.handle.entry, "with_epilogue", first.plan.in_shapes):
        computation = first.plan.compute.with_epilogue(Epilogue(steps))
    operation: Any = EpilogueOperation(first.plan, computation, name, len(inputs))
    merged = Node(name, operation, inputs, types=list(last.types))
    # It stands where its last operator stood.
    merged.serial = last.serial
    return merged


def _step(
    node: Node, at: int, value: Mapping[int, int], operands: list[Edge]
) -> tuple[str, Any, bool]:
    """Return a step as `Epilogue` takes it; the value before it is that of index `at`."""
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
    return how.kernel, placed(edge[0].types[edge[1]], node.types[0]), reverse


def placed(source: Type, target: Type) -> tuple[Any, ...] | None:
    """Return how an array is the operand of a step for a result, as `Epilogue` takes it.

    Examples
    --------
    >>> placed(Type((1, 3, 1, 1), 0), Type((2, 3, 4, 4), 0))
    ('spread', 16, 3, 1)
    >>> placed(Type((1, 3, 1, 1, 8), 0), Type((2, 3, 4, 4, 8), 0))
    ('spread', 128, 3, 8)
    """
    if source == target:
        return ("full",)
    along = spread(source, target)
    if along is not None:
        return ("spread", *along, 1)
    # Blocks of an axis that lie innermost, and the axis itself.
    lanes = target.shape[-1] if target.shape else 1
    if not source.shape or source.shape[-1] != lanes:
        return None
    outer = spread(Type(source.shape[:-1], source.code), Type(target.shape[:-1], target.code))
    return None if outer is None else ("spread", outer[0] * lanes, outer[1], lanes)
