"""Operators with subgraphs in files: MXNet's attributes map inputs to subgraph variables.

A ``loc`` is an index into the list of a subgraph's variables or of the node's inputs. Files are not
trusted: an invalid index is an error that names the attribute.
"""

import re
from collections.abc import Callable, Sequence

from ...base.errors import SymbolFileError
from ..control.branches import Cond
from ..control.declaration import ControlFlow, operation_of
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
    """Return an operator with subgraphs, and its inputs in the operator's order.

    Parameters
    ----------
    operator : str
    attributes : dict of str to str
        Attributes of the operator.
    graphs : sequence of Symbol
        Its subgraphs.
    inputs : sequence of (Node, int)
    where : str
        For errors.

    Raises
    ------
    SymbolFileError
        The operator has no subgraphs, or they do not fit its attributes.
    """
    reader = _READERS.get(operator)
    if reader is None:
        raise SymbolFileError(f"{where} has subgraphs; only {', '.join(_READERS)} have them")
    count, read = reader
    if len(graphs) != count:
        raise SymbolFileError(f"{where} has {len(graphs)} subgraphs, expected {count}")
    mapping = _InputMapping(_Attributes(attributes, where), graphs, inputs)
    prop = read(mapping)
    mapping.attributes.expect_no_others()
    return operation_of(prop), mapping.edges


#: Sizes are 64-bit numbers.
_NUMBER = re.compile(r"-?[0-9]{1,18}")


class _Attributes:
    """Attributes of a node, which are integers and lists of integers."""

    def __init__(self, texts: dict[str, str], where: str) -> None:
        self._texts = dict(texts)
        self._texts.pop("num_args", None)
        self.where = where

    def number(self, key: str, least: int) -> int:
        """Return an integer attribute."""
        text = self._pop(key)
        if not _NUMBER.fullmatch(text) or int(text) < least:
            raise self.error(key, text, f"a number from {least}")
        return int(text)

    def positions(self, key: str, length: int, bound: int) -> list[int]:
        """Return a list of indices below `bound`; -1 stands for none."""
        text = self._pop(key)
        items = [item.strip() for item in text.strip("[]() ").split(",") if item.strip()]
        if not all(map(_NUMBER.fullmatch, items)):
            raise self.error(key, text, "a list of positions")
        found = [int(item) for item in items]
        if length >= 0 and len(found) != length:
            raise self.error(key, text, f"{length} positions")
        if not all(-1 <= at < bound for at in found):
            raise self.error(key, text, f"positions below {bound}")
        return found

    def error(self, key: str, text: object, expected: str) -> SymbolFileError:
        """Return the error for an invalid value."""
        return SymbolFileError(f"{self.where}: {key} is {text!r:.60}, expected {expected}")

    def expect_no_others(self) -> None:
        """Reject attributes that have not been read."""
        if self._texts:
            raise SymbolFileError(
                f"{self.where} has the attributes {', '.join(sorted(self._texts))}, which its "
                "operator does not have"
            )

    def _pop(self, key: str) -> str:
        if key not in self._texts:
            raise SymbolFileError(f"{self.where} has no attribute {key!r}")
        return self._texts.pop(key)


class _InputMapping:
    """Mapping of each input to a variable of each subgraph.

    Attributes
    ----------
    edges : list of (Node, int)
        Inputs in the operator's order.
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
        """Append an input of the file, with its variable in each subgraph or None."""
        self._sources.append(source)
        self._rows.append(list(variables))

    def add_free(self, graph: int, variable: Node, source: int, begin: int) -> None:
        """Append an outer value that a subgraph reads; from `begin` on, subgraphs share inputs."""
        for at in range(begin, len(self._rows)):
            if self._sources[at] == source and self._rows[at][graph] is None:
                self._rows[at][graph] = variable
                return
        row: list[Node | None] = [None] * len(self.variables)
        row[graph] = variable
        self.add(source, *row)

    def subgraphs(self) -> list[Subgraph]:
        """Return the subgraphs, with auxiliary states as the last inputs."""
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


def _foreach(mapping: _InputMapping) -> Foreach:
    given = mapping.attributes
    (variables,) = mapping.variables
    count = len(variables)
    data = given.positions("in_data_locs", -1, count)
    if not data:
        raise given.error("in_data_locs", "[]", "at least one place")
    states = given.positions("in_state_locs", -1, count)
    rest = given.positions("remain_locs", len(mapping.inputs) - len(data) - len(states), count)
    for source, at in enumerate([*data, *states, *rest]):
        mapping.add(source, None if at < 0 else variables[at])
    _expect_outputs(mapping, len(states))
    (body,) = mapping.subgraphs()
    return Foreach(body, len(data), len(states), len(mapping.edges))


def _while_loop(mapping: _InputMapping) -> WhileLoop:
    given = mapping.attributes
    condition, body = mapping.variables
    asked = given.positions("cond_input_locs", len(condition), len(mapping.inputs))
    read = given.positions("func_input_locs", len(body), len(mapping.inputs))
    own = given.positions("func_var_locs", -1, len(body))
    # In files of opforge, an unread loop variable has its own position as input.
    sources = [read[at] if at >= 0 else position for position, at in enumerate(own)]
    for at, source in zip(own, sources, strict=True):
        if source >= len(mapping.inputs):
            raise given.error("func_var_locs", own, f"no more than {len(mapping.inputs)} variables")
        mapping.add(source, None, None if at < 0 else body[at])
    for variable, source in zip(condition, asked, strict=True):
        mapping.add_free(0, variable, source, 0)
    for at, (variable, source) in enumerate(zip(body, read, strict=True)):
        if at not in own:
            mapping.add_free(1, variable, source, len(own))
    _expect_outputs(mapping, len(own))
    turns = given.number("max_iterations", 1)
    first, second = mapping.subgraphs()
    return WhileLoop(first, second, len(own), len(mapping.edges), turns)


def _cond(mapping: _InputMapping) -> Cond:
    given = mapping.attributes
    for graph, key in enumerate(("cond_input_locs", "then_input_locs", "else_input_locs")):
        variables = mapping.variables[graph]
        sources = given.positions(key, len(variables), len(mapping.inputs))
        for variable, source in zip(variables, sources, strict=True):
            mapping.add_free(graph, variable, source, 0)
    count = given.number("num_outputs", 1)
    counts = [len(outputs) for outputs in mapping.outputs]
    if counts != [1, count, count]:
        raise given.error("num_outputs", count, f"the counts of the subgraphs: {counts}")
    condition, then, otherwise = mapping.subgraphs()
    return Cond(condition, then, otherwise, len(mapping.edges))


def _expect_outputs(mapping: _InputMapping, n_states: int) -> None:
    given = mapping.attributes
    rows, count = given.number("num_out_data", 0), given.number("num_outputs", 0)
    have = len(mapping.outputs[-1])
    if count != have or rows + n_states != have:
        raise given.error(
            "num_outputs", count, f"{have}, of which {have - n_states} are not states"
        )


_READERS: dict[str, tuple[int, Callable[[_InputMapping], ControlFlow]]] = {
    "_foreach": (1, _foreach),
    "_while_loop": (2, _while_loop),
    "_cond": (3, _cond),
}
