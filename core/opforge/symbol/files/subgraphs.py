"""Operators with subgraphs in files: MXNet's attributes say which input is which variable.

A ``loc`` is a place in the list of a subgraph's variables or of the node's inputs. Nothing of a
file is trusted: a place that is not there is an error with the attribute's name.
"""

import re
from collections.abc import Callable, Sequence

from ...base.errors import SymbolFileError
from ..control.branches import Cond
from ..control.declaring import ControlFlow, operation_of
from ..control.loops import Foreach, WhileLoop
from ..control.subgraph import Subgraph
from ..node import Edge, Node, Operation
from ..symbol import Symbol

__all__ = ["control_operation"]


def control_operation(
    operator: str,
    attributes: dict[str, str],
    graphs: Sequence[Symbol],
    inputs: Sequence[Edge],
    where: str,
) -> tuple[Operation, list[Edge]]:
    """Return an operator with subgraphs, and its inputs in the order in which it takes them.

    Parameters
    ----------
    operator : str
    attributes : dict of str to str
        The operator's own.
    graphs : sequence of Symbol
        The subgraphs.
    inputs : sequence of (Node, int)
    where : str
        For errors.

    Raises
    ------
    SymbolFileError
        The operator has no subgraphs, or those do not fit its attributes.
    """
    reader = _READERS.get(operator)
    if reader is None:
        raise SymbolFileError(
            f"{where} has subgraphs; operators that have some are {', '.join(_READERS)}"
        )
    count, read = reader
    if len(graphs) != count:
        raise SymbolFileError(f"{where} has {len(graphs)} subgraphs, expected {count}")
    places = _Places(_Attributes(attributes, where), graphs, inputs)
    prop = read(places)
    places.attributes.expect_no_others()
    return operation_of(prop), places.edges


#: Sizes are 64-bit numbers.
_NUMBER = re.compile(r"-?[0-9]{1,18}")


class _Attributes:
    """The attributes of a node, which are numbers and lists of numbers."""

    def __init__(self, texts: dict[str, str], where: str) -> None:
        self._texts = dict(texts)
        self._texts.pop("num_args", None)
        self.where = where

    def number(self, key: str, least: int) -> int:
        """Return a number."""
        text = self._taken(key)
        if not _NUMBER.fullmatch(text) or int(text) < least:
            raise self.wrong(key, text, f"a number from {least}")
        return int(text)

    def places(self, key: str, length: int, bound: int) -> list[int]:
        """Return a list of places below `bound`; -1 for none."""
        text = self._taken(key)
        items = [item.strip() for item in text.strip("[]() ").split(",") if item.strip()]
        if not all(map(_NUMBER.fullmatch, items)):
            raise self.wrong(key, text, "a list of places")
        found = [int(item) for item in items]
        if length >= 0 and len(found) != length:
            raise self.wrong(key, text, f"{length} places")
        if not all(-1 <= at < bound for at in found):
            raise self.wrong(key, text, f"places below {bound}")
        return found

    def wrong(self, key: str, text: object, expected: str) -> SymbolFileError:
        """Return the error for a value that does not fit."""
        return SymbolFileError(f"{self.where}: {key} is {text!r:.60}, expected {expected}")

    def expect_no_others(self) -> None:
        """Refuse what nobody has read."""
        if self._texts:
            raise SymbolFileError(
                f"{self.where} has the attributes {', '.join(sorted(self._texts))}, which its "
                "operator does not know"
            )

    def _taken(self, key: str) -> str:
        if key not in self._texts:
            raise SymbolFileError(f"{self.where} has no attribute {key!r}")
        return self._texts.pop(key)


class _Places:
    """Which variable of which subgraph each input is.

    Attributes
    ----------
    edges : list of (Node, int)
        The inputs as the operator takes them.
    """

    def __init__(
        self, attributes: _Attributes, graphs: Sequence[Symbol], inputs: Sequence[Edge]
    ) -> None:
        self.attributes = attributes
        self.inputs = inputs
        self.outputs = [graph.edges for graph in graphs]
        self.variables = [[n for n in graph.nodes() if n.is_variable] for graph in graphs]
        self.edges: list[Edge] = []
        self._states = {id(node) for graph in graphs for node in graph.state_nodes()}
        self._sources: list[int] = []
        self._rows: list[list[Node | None]] = []

    def add(self, source: int, *variables: Node | None) -> None:
        """Add an input of the file as the operator's next: a variable or None for each subgraph."""
        self._sources.append(source)
        self._rows.append(list(variables))

    def add_free(self, graph: int, variable: Node, source: int, begin: int) -> None:
        """Add what a subgraph reads from outside; subgraphs share an input from `begin` on."""
        for at in range(begin, len(self._rows)):
            if self._sources[at] == source and self._rows[at][graph] is None:
                self._rows[at][graph] = variable
                return
        row: list[Node | None] = [None] * len(self.variables)
        row[graph] = variable
        self.add(source, *row)

    def settled(self) -> list[Subgraph]:
        """Return the subgraphs; auxiliary states have become the last inputs."""
        if any(source >= len(self.inputs) for source in self._sources):
            raise SymbolFileError(
                f"{self.attributes.where}: its subgraphs read {max(self._sources) + 1} inputs, and "
                f"it has {len(self.inputs)}"
            )
        order = sorted(range(len(self._rows)), key=self._is_state)
        self.edges = [self.inputs[self._sources[at]] for at in order]
        columns = zip(*(self._rows[at] for at in order), strict=True)
        made = [
            Subgraph(outputs, variables)
            for outputs, variables in zip(self.outputs, columns, strict=True)
        ]
        for graph, variables in zip(made, self.variables, strict=True):
            given = [node for node in graph.variables if node is not None]
            if len(given) != len(variables) or {*given} != {*variables}:
                raise SymbolFileError(
                    f"{self.attributes.where}: a subgraph has {len(variables)} variables "
                    f"({', '.join(node.name for node in variables)}), and its node gives "
                    f"{len(given)}"
                )
        return made

    def _is_state(self, at: int) -> bool:
        return any(id(node) in self._states for node in self._rows[at])


def _foreach(places: _Places) -> Foreach:
    given = places.attributes
    (variables,) = places.variables
    count = len(variables)
    data = given.places("in_data_locs", -1, count)
    if not data:
        raise given.wrong("in_data_locs", "[]", "at least one place")
    states = given.places("in_state_locs", -1, count)
    rest = given.places("remain_locs", len(places.inputs) - len(data) - len(states), count)
    for source, at in enumerate([*data, *states, *rest]):
        places.add(source, None if at < 0 else variables[at])
    _expect_outputs(places, len(states))
    (body,) = places.settled()
    return Foreach(body, len(data), len(states), len(places.edges))


def _while_loop(places: _Places) -> WhileLoop:
    given = places.attributes
    condition, body = places.variables
    asked = given.places("cond_input_locs", len(condition), len(places.inputs))
    read = given.places("func_input_locs", len(body), len(places.inputs))
    own = given.places("func_var_locs", -1, len(body))
    # A loop variable that the body does not read is, in files of opforge, at its own place.
    sources = [read[at] if at >= 0 else position for position, at in enumerate(own)]
    for at, source in zip(own, sources, strict=True):
        if source >= len(places.inputs):
            raise given.wrong("func_var_locs", own, f"no more than {len(places.inputs)} variables")
        places.add(source, None, None if at < 0 else body[at])
    for variable, source in zip(condition, asked, strict=True):
        places.add_free(0, variable, source, 0)
    for at, (variable, source) in enumerate(zip(body, read, strict=True)):
        if at not in own:
            places.add_free(1, variable, source, len(own))
    _expect_outputs(places, len(own))
    turns = given.number("max_iterations", 1)
    first, second = places.settled()
    return WhileLoop(first, second, len(own), len(places.edges), turns)


def _cond(places: _Places) -> Cond:
    given = places.attributes
    for graph, key in enumerate(("cond_input_locs", "then_input_locs", "else_input_locs")):
        variables = places.variables[graph]
        sources = given.places(key, len(variables), len(places.inputs))
        for variable, source in zip(variables, sources, strict=True):
            places.add_free(graph, variable, source, 0)
    count = given.number("num_outputs", 1)
    counts = [len(outputs) for outputs in places.outputs]
    if counts != [1, count, count]:
        raise given.wrong("num_outputs", count, f"what the subgraphs have: {counts}")
    condition, then, otherwise = places.settled()
    return Cond(condition, then, otherwise, len(places.edges))


def _expect_outputs(places: _Places, n_states: int) -> None:
    given = places.attributes
    rows, count = given.number("num_out_data", 0), given.number("num_outputs", 0)
    have = len(places.outputs[-1])
    if count != have or rows + n_states != have:
        raise given.wrong("num_outputs", count, f"{have}, of which {have - n_states} are no states")


_READERS: dict[str, tuple[int, Callable[[_Places], ControlFlow]]] = {
    "_foreach": (1, _foreach),
    "_while_loop": (2, _while_loop),
    "_cond": (3, _cond),
}
