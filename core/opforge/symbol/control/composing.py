"""Code shared by the functions of control flow: traced bodies, and the node that holds them."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ...attribute import AttrScope, stored
from ...name import NameManager
from ..inference.node_types import infer_node
from ..node import UNKNOWN, Edge, Node, Type
from ..symbol import Symbol
from .declaring import ControlFlow, operation_of
from .nested import nested_symbols
from .subgraph import Free, Subgraph, cut

__all__ = ["Answer", "Traced", "body_scope", "composed", "joined", "own_variables", "traced"]


@dataclass(frozen=True, slots=True)
class Answer:
    """A part of what a function returned: how it is nested, and how many symbols it has."""

    structure: Any
    count: int


@dataclass(frozen=True, slots=True)
class Traced:
    """Subgraph that a function created.

    Parameters
    ----------
    outputs : list of (Node, int)
    own : sequence of Node
        The variables that the function was given.
    free : list of Free
        What it reads besides.
    answers : list of Answer
    """

    outputs: list[Edge]
    own: Sequence[Node]
    free: list[Free]
    answers: list[Answer]


def body_scope(name: str) -> AttrScope:
    """Return the scope in which a body is called: its nodes carry the name of their subgraph.

    Names are MXNet's: numbered, and behind that of the subgraph around, as ``foreach0$foreach0``.
    """
    outer = AttrScope.current.get(None).get("__subgraph_name__")
    full = f"{outer}${name}" if outer else name
    names = AttrScope._subgraph_names
    names[full] += 1
    return AttrScope(__subgraph_name__=f"{full}{names[full] - 1}")


def own_variables(edges: Sequence[Edge], types: Sequence[Type]) -> list[Node]:
    """Return what stands for inputs inside of a body, named as MXNet names it."""
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
    """Run a function on symbols and cut out what it has made.

    Parameters
    ----------
    own : sequence of Node
        The variables that it is given; what is known of them is forgotten after that.
    call : callable
        Calls the function with symbols of an iterator, and returns its answers, each with what it
        is in errors.
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


def joined(parts: Sequence[Traced]) -> tuple[list[Edge], list[Subgraph]]:
    """Return what functions read from outside, and their subgraphs.

    Each reads its own variables first, of which all have as many, then what it shares with the
    others; what operators change, auxiliary states, comes last.
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


def composed(prop: ControlFlow, inputs: Sequence[Edge]) -> Iterator[Symbol]:
    """Return the outputs of a new node that runs subgraphs."""
    label = NameManager.current.get(None, prop.name)
    attrs = stored(AttrScope.current.get(None))
    node = Node(label, operation_of(prop), inputs, attrs)
    infer_node(node)
    return iter([Symbol([(node, index)]) for index in range(node.num_outputs)])
