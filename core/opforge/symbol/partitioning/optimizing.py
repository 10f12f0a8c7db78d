"""`optimize`: a graph with the parts replaced that a subgraph backend supports.

Works on a copy of the graph. The names of its outputs stay, and so do those of the arguments and
auxiliary states that are still used.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from typing import Any

from ...autograd import pause
from ...name import NameManager
from ...ndarray import NDArray
from ..inference.inferred_symbol import infer_types_of
from ..node import Edge, Node, Type, program_order
from ..symbol import Symbol
from .backend import SubgraphBackend, create
from .extraction import Users, extract, outputs_of_group, users_of_edges
from .grouping import convex_groups
from .splicing import expect_replacement, named_outputs, splice
from .subgraph import GraphNode, Subgraph, Types

__all__ = ["Given", "optimize"]


@dataclass(frozen=True)
class Given:
    """Values of a graph's variables, as far as they are known.

    Parameters
    ----------
    args, aux : mapping of str to NDArray
        Arrays by name.
    shapes : mapping of str to tuple of int
    codes : mapping of str to int
        Shapes and type codes of other variables.
    infers : bool, default True
        Whether shapes and types are inferred from them.
    """

    args: Mapping[str, NDArray]
    aux: Mapping[str, NDArray]
    shapes: Mapping[str, tuple[int, ...]]
    codes: Mapping[str, int]
    infers: bool = True

    def types(self, symbol: Symbol, added: Mapping[str, NDArray]) -> Types:
        """Return the known types of all nodes of a graph."""
        nodes = symbol.nodes()
        if not self.infers:
            return {id(node): node.types for node in nodes}
        known = {node.name for node in nodes if node.is_variable}
        arrays = {**self.args, **self.aux, **added}
        shapes = {**self.shapes, **{name: array.shape for name, array in arrays.items()}}
        codes = {**self.codes, **{name: array.dtype_code for name, array in arrays.items()}}
        found = infer_types_of(
            symbol.edges,
            {name: shape for name, shape in shapes.items() if name in known},
            {name: code for name, code in codes.items() if name in known},
        )
        found.raise_contradiction()
        return found.types


def optimize(
    symbol: Symbol, backend: Any, options: Mapping[str, Any], given: Given
) -> tuple[Symbol, dict[str, NDArray]]:
    """Return the optimized graph and the parameters that the backend added to it, by name.

    Parameters
    ----------
    symbol : Symbol
        Stays unchanged.
    backend : str, type or SubgraphBackend
    options : mapping of str
        Options of the backend.
    given : Given

    Raises
    ------
    OpforgeError
        No backend has this name, or it returned a replacement that does not fit.
    """
    made = create(backend, **options)
    label = backend.rpartition("::")[2] if isinstance(backend, str) else type(made).__name__
    partition = _Partition(symbol.__copy__(), made, label.lower(), given)
    # Values that the backend computes are constants, and automatic names of replacements do not
    # affect those of the program.
    with pause(), NameManager():
        partition.transform()
        partition.replace_subgraphs()
    result = partition.symbol
    used = set(result.list_inputs())
    return result, {name: array for name, array in partition.added.items() if name in used}


class _Partition:
    """A graph while a backend replaces parts of it."""

    def __init__(self, symbol: Symbol, backend: SubgraphBackend, label: str, given: Given) -> None:
        self.symbol = symbol
        self.added: dict[str, NDArray] = {}
        self._backend = backend
        self._label = label
        self._given = given
        self._taken = {node.name for node in symbol.nodes()}
        self._count = 0

    def transform(self) -> None:
        """Let the backend replace the entire graph."""
        symbol = self.symbol
        if type(self._backend).transform is SubgraphBackend.transform:
            return
        types = self._given.types(symbol, self.added)
        graph = self._subgraph(symbol.__copy__(), types, symbol.nodes())
        result = self._call("transform", graph)
        if result is None:
            return
        self._expect(result, graph, [types[id(node)][index] for node, index in symbol.edges])
        nodes = symbol.nodes()
        variables: dict[str, Edge] = {n.name: (n, 0) for n in nodes if n.is_variable}
        members = {node.name for node in nodes if not node.is_variable}
        edges = self._splice(result, graph, variables, symbol, members)
        self.symbol = Symbol(named_outputs(edges, symbol.list_outputs()))

    def replace_subgraphs(self) -> None:
        """Let the backend replace subgraphs of the nodes that it supports."""
        if type(self._backend).supports is SubgraphBackend.supports:
            return
        symbol = self.symbol
        types = self._given.types(symbol, self.added)
        order = program_order(symbol.edges)
        views: dict[int, GraphNode] = {}
        for node in order:
            if not node.is_variable:
                view = GraphNode(node, types)
                with self._note(f"supports({view.name!r})"):
                    if self._backend.supports(view):
                        views[id(node)] = view
        with self._note("joins()"):
            groups = convex_groups(
                order, views, lambda a, b: self._backend.joins(views[id(a)], views[id(b)])
            )
        users = users_of_edges(symbol)
        found = [r for group in groups if (r := self._replacement(group, types, users))]
        if found:
            self.symbol = self._rebuild(order, found)

    def _replacement(self, group: list[Node], types: Types, users: Users) -> "_Replacement | None":
        """Return what the backend returns for a group; None if it leaves the group unchanged."""
        outputs = outputs_of_group(group, users)
        part, variables, found = extract(group, outputs, types, self._taken)
        graph = self._subgraph(part, found, part.nodes())
        result = self._call("replace", graph)
        if result is None:
            return None
        self._expect(result, graph, [types[id(node)][index] for node, index in outputs])
        return _Replacement(group, outputs, variables, graph, result)

    def _rebuild(self, order: Sequence[Node], replaced: "Sequence[_Replacement]") -> Symbol:
        """Return the graph with groups replaced; other nodes keep their order if possible."""
        made: dict[Edge, Edge] = {}
        for unit in _units(order, replaced):
            if isinstance(unit, Node):
                inputs = [made[edge] for edge in unit.inputs]
                copy = Node(unit.name, unit.operation, inputs, unit.attrs, list(unit.types))
                copy.plan = unit.plan
                made.update({(unit, at): (copy, at) for at in range(unit.num_outputs)})
            else:
                sources = {name: made[edge] for name, edge in unit.variables.items()}
                members = {node.name for node in unit.group}
                original = Symbol(unit.outputs)
                edges = self._splice(unit.result, unit.graph, sources, original, members)
                made.update(zip(unit.outputs, edges, strict=True))
        edges = [made[edge] for edge in self.symbol.edges]
        return Symbol(named_outputs(edges, self.symbol.list_outputs()))

    def _splice(
        self,
        result: Symbol,
        graph: Subgraph,
        variables: dict[str, Edge],
        original: Symbol,
        members: set[str],
    ) -> list[Edge]:
        """Return the outputs of a replacement, copied into the graph."""
        self.added |= graph._added
        taken = self._taken - members
        edges = splice(result, variables, graph._added, original.list_outputs(), taken)
        self._taken = taken
        return edges

    def _subgraph(self, part: Symbol, types: Types, nodes: Sequence[Node]) -> Subgraph:
        types = {id(copy): types[id(node)] for copy, node in zip(part.nodes(), nodes, strict=True)}
        arrays = {**self._given.args, **self._given.aux, **self.added}
        args = {name: arrays[name] for name in part.list_arguments() if name in arrays}
        aux = {name: arrays[name] for name in part.list_auxiliary_states() if name in arrays}
        return Subgraph(self._unused_name(), part, types, args, aux, self._taken)

    def _unused_name(self) -> str:
        """Return a name that no node has and none starts with."""
        while True:
            name = f"{self._label}{self._count}"
            self._count += 1
            if not any(taken == name or taken.startswith(f"{name}_") for taken in self._taken):
                return name

    def _call(self, method: str, graph: Subgraph) -> Any:
        with self._note(f"{method}({graph!r})"):
            return getattr(self._backend, method)(graph)

    def _expect(self, result: Any, graph: Subgraph, types: Sequence[Type]) -> None:
        """Reject a replacement that does not fit."""
        with self._note(f"the replacement of {graph!r}"):
            expect_replacement(result, graph, types)

    @contextmanager
    def _note(self, what: str) -> Iterator[None]:
        """Name the backend in errors."""
        try:
            yield
        except Exception as error:
            kind = type(self._backend)
            name = f"{kind.__module__}.{kind.__qualname__}"
            note = f"subgraph backend {self._label!r} ({name}): {what}"
            if note not in getattr(error, "__notes__", ()):  # a backend may optimize in turn
                error.add_note(note)
            raise


@dataclass(frozen=True)
class _Replacement:
    """A group of nodes and its replacement.

    Attributes
    ----------
    group : list of Node
    outputs : list of (Node, int)
        Outputs of the group that the rest of the graph, or the caller, uses.
    variables : dict of str to (Node, int)
        Outputs of other nodes that the group reads, by the names of the subgraph's variables.
    graph : Subgraph
    result : Symbol
    """

    group: list[Node]
    outputs: list[Edge]
    variables: dict[str, Edge]
    graph: Subgraph
    result: Symbol


def _units(
    order: Sequence[Node], replaced: Sequence[_Replacement]
) -> Iterator[Node | _Replacement]:
    """Iterate over nodes and replaced groups in topological order, by position if possible."""
    unit_of: dict[int, int] = {id(node): at for at, node in enumerate(order)}
    units: dict[int, Node | _Replacement] = dict(enumerate(order))
    for group in replaced:
        last = max(unit_of[id(node)] for node in group.group)
        for node in group.group:
            units.pop(unit_of[id(node)])
            unit_of[id(node)] = last
        units[last] = group
    sources: dict[int, set[int]] = {at: set() for at in units}
    users: dict[int, list[int]] = {at: [] for at in units}
    for node in order:
        at = unit_of[id(node)]
        sources[at] |= {unit_of[id(source)] for source, _ in node.inputs} - {at}
    for at, known in sources.items():
        for source in known:
            users[source].append(at)
    waiting = {at: len(known) for at, known in sources.items()}
    ready = [at for at, count in waiting.items() if not count]
    heapify(ready)
    while ready:
        at = heappop(ready)
        yield units[at]
        for user in users[at]:
            waiting[user] -= 1
            if not waiting[user]:
                heappush(ready, user)
