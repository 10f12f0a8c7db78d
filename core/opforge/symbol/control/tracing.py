"""Code shared by the control flow functions: tracing of bodies, and the node that holds them."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ...attribute import AttrScope, stored
from ...name import NameManager
from ..inference.node_types import infer_node
from ..node import UNKNOWN, Edge, Node, Type
from ..symbol import Symbol
from .declaration import ControlFlow, operation_of
from .nested_symbols import nested_symbols
from .subgraph import Free, Subgraph, cut

__all__ = [
    "Answer",
    "Traced",
    "add_control_node",
    "body_scope",
    "merge_inputs",
    "own_variables",
    "traced",
]


@dataclass(frozen=True, slots=True)
class Answer:
    """Part of a function's return value: its nesting structure and its number of symbols."""

    structure: Any
    count: int


@dataclass(frozen=True, slots=True)
class Traced:
    """Result of tracing a function.

    Parameters
    ----------
    outputs : list of (Node, int)
    own : sequence of Node
        Variables that were passed to the function.
    free : list of Free
        Outer values that the function reads.
    answers : list of Answer
    """

    outputs: list[Edge]
    own: Sequence[Node]
    free: list[Free]
    answers: list[Answer]


def body_scope(name: str) -> AttrScope:
    """Return the scope in which a body is called: its nodes carry the name of their subgraph.

    Names follow MXNet: numbered, and prefixed by the outer subgraph, as in ``foreach0$foreach0``.
    """
    outer = AttrScope.current.get(None).get("__subgraph_name__")
    full = f"{outer}${name}" if outer else name
    names = AttrScope._subgraph_names
    names[full] += 1
    return AttrScope(__subgraph_name__=f"{full}{names[full] - 1}")


def own_variables(edges: Sequence[Edge], types: Sequence[Type]) -> list[Node]:
    """Return the variables that stand for inputs inside a body, with MXNet's names."""
    made: dict[str, Node] = {}
    for (node, index), found in zip(edges, types, strict=True):
        name = f"{node.name}-{index}"
        while name in made:
            name += "'"
        attrs = stored(AttrScope.current.get(None))
        made[name] = Node(name, attrs=attrs, types=None if found == UNKNOWN else [found])
    return list(made.values())


def traced(
    own: Sequence[Node], call: Callable[[Iterator[Symbol]], Sequence[tuple[Any, str]]]
) -> Traced:
    """Run a function on symbols and cut its nodes out of the surrounding graph.

    Parameters
    ----------
    own : sequence of Node
        Variables to pass to it; their known types are cleared afterwards.
    call : callable
        Calls the function with symbols from an iterator, and returns its results, each with a
        description for errors.
    """
    begin = Node("").serial
    answers: list[Answer] = []
    outputs: list[Edge] = []
    for value, what in call(Symbol([(node, 0)]) for node in own):
        symbols, structure = nested_symbols(value, what)
        answers.append(Answer(structure, len(symbols)))
        outputs += [symbol.edges[0] for symbol in symbols]
    inner, free = cut(outputs, own, begin)
    for node in own:
        node.forget()
    return Traced(inner, own, free, answers)


def merge_inputs(parts: Sequence[Traced]) -> tuple[list[Edge], list[Subgraph]]:
    """Return the outer values that functions read, and the subgraphs of the functions.

    The inputs of each subgraph are its own variables, equally many for all, then the shared outer
    values. Auxiliary states, which operators change, come last.
    """
    edges: dict[tuple[int, int], Edge] = {}
    states: set[tuple[int, int]] = set()
    for part in parts:
        changed = {id(node) for node in Symbol(part.outputs).state_nodes()}
        for free in part.free:
            edges[_key(free)] = free.edge
            if id(free.variable) in changed:
                states.add(_key(free))
    order = sorted(edges, key=states.__contains__)
    return [edges[key] for key in order], [_subgraph(part, order) for part in parts]


def _key(free: Free) -> tuple[int, int]:
    return id(free.edge[0]), free.edge[1]


def _subgraph(part: Traced, order: Sequence[tuple[int, int]]) -> Subgraph:
    shared = {_key(free): free.variable for free in part.free}
    read = {id(node) for node in Symbol(part.outputs).nodes()}
    own = [node if id(node) in read else None for node in part.own]
    return Subgraph(part.outputs, [*own, *(shared.get(key) for key in order)])


def add_control_node(prop: ControlFlow, inputs: Sequence[Edge]) -> Iterator[Symbol]:
    """Yield the outputs of a new node that runs subgraphs."""
    label = NameManager.current.get(None, prop.name)
    attrs = stored(AttrScope.current.get(None))
    node = Node(label, operation_of(prop), inputs, attrs)
    infer_node(node)
    return iter([Symbol([(node, index)]) for index in range(node.num_outputs)])
