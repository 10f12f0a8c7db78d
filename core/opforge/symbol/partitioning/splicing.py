"""Insertion of replacements into a graph."""

from collections.abc import Mapping, Sequence

from ...base.dtypes import dtype_of
from ...base.errors import DTypeError, OpforgeError, ShapeError
from ...op.declaring.validation import UNKNOWN_TYPE
from .._namespace import operators
from ..inference.inferred_symbol import infer_types_of
from ..inference.node_types import infer_node
from ..node import Edge, Node, Type, topological
from ..symbol import Symbol
from .subgraph import Subgraph

__all__ = ["expect_replacement", "named_outputs", "splice"]

_SUFFIX = "_output"


def expect_replacement(result: object, graph: Subgraph, types: Sequence[Type]) -> None:
    """Reject a replacement that does not fit.

    Parameters
    ----------
    result : object
        Return value of a backend.
    graph : Subgraph
        The replaced subgraph.
    types : sequence of Type
        Known types of its outputs.

    Raises
    ------
    TypeError
        It is not a symbol.
    OpforgeError
        It has another number of outputs, or variables that the graph does not have.
    ShapeError, DTypeError
        An output has another shape or type.
    """
    if not isinstance(result, Symbol):
        raise TypeError(
            f"the replacement of {graph!r} is {result!r:.60}; expected a Symbol or None"
        )
    expected = graph.symbol.list_outputs()
    if len(result.edges) != len(expected):
        raise OpforgeError(
            f"the replacement of {graph!r} has {len(result.edges)} outputs; expected "
            f"{len(expected)}: {', '.join(expected)}"
        )
    seen: set[int] = set()
    for node in topological(result.edges):
        if node.is_variable and not (node.name in graph.inputs or node.name in graph._added):
            raise OpforgeError(
                f"the replacement of {graph!r} has a variable {node.name!r}, which the subgraph "
                f"does not have; its inputs are {', '.join(graph.inputs) or 'none'}. Add "
                "parameters with subgraph.add_parameter(name, value)"
            )
        if any(id(source) not in seen for source, _ in node.inputs):
            raise OpforgeError(f"the replacement of {graph!r} has a cycle through {node.name!r}")
        seen.add(id(node))
    _expect_types(result, graph, types)


def _expect_types(result: Symbol, graph: Subgraph, types: Sequence[Type]) -> None:
    """Reject a replacement whose outputs have other shapes or types than those of the subgraph."""
    used = {node.name for node in result.nodes() if node.is_variable}
    known = {name: kind for name, kind in graph._types.items() if name in used}
    shapes = {name: kind.shape for name, kind in known.items() if kind.shape}
    found = infer_types_of(result.edges, shapes, {n: kind.code for n, kind in known.items()})
    found.raise_contradiction()
    names = graph.symbol.list_outputs()
    for name, edge, expected in zip(names, result.edges, types, strict=True):
        actual = found.of(edge)
        both = 0 not in (*actual.shape, *expected.shape) and actual.shape and expected.shape
        if both and actual.shape != expected.shape:
            raise ShapeError(
                f"the replacement of {graph!r} has shape {actual.shape} for the output {name!r}; "
                f"expected {expected.shape}"
            )
        if UNKNOWN_TYPE not in (actual.code, expected.code) and actual.code != expected.code:
            raise DTypeError(
                f"the replacement of {graph!r} has type {dtype_of(actual.code).__name__} for the "
                f"output {name!r}; expected {dtype_of(expected.code).__name__}"
            )


def splice(
    replacement: Symbol,
    variables: Mapping[str, Edge],
    added: Mapping[str, object],
    names: Sequence[str],
    taken: set[str],
) -> list[Edge]:
    """Return the outputs of a copy of `replacement` that reads outputs of a graph.

    Parameters
    ----------
    replacement : Symbol
    variables : mapping of str to (Node, int)
        Outputs of the graph that replace variables.
    added : mapping of str
        Names of variables that become variables of the graph.
    names : sequence of str
        Names of the replaced outputs, which nodes with a single output keep.
    taken : set of str
        Names of other nodes; those of the new nodes are added.
    """
    wanted = _output_names(replacement, names, taken)
    taken |= set(wanted.values())
    made: dict[int, list[Edge]] = {}
    for node in topological(replacement.edges):
        if node.is_variable and node.name not in added:
            made[id(node)] = [variables[node.name]]
            continue
        name = (
            node.name if node.is_variable else wanted.get(id(node)) or _free_name(node.name, taken)
        )
        inputs = [made[id(source)][index] for source, index in node.inputs]
        copy = Node(name, node.operation, inputs, dict(node.attrs))
        if node.is_variable:
            copy.types = list(node.types)
        else:
            infer_node(copy)
        made[id(node)] = [(copy, index) for index in range(copy.num_outputs)]
    return [made[id(node)][index] for node, index in replacement.edges]


def _output_names(replacement: Symbol, names: Sequence[str], taken: set[str]) -> dict[int, str]:
    """Return the names of the nodes that compute the outputs, by their ids."""
    found: dict[int, str] = {}
    for (node, _), name in zip(replacement.edges, names, strict=True):
        base = name.removesuffix(_SUFFIX)
        is_single = not node.is_variable and node.output_names() == [f"{node.name}{_SUFFIX}"]
        is_free = base not in taken and base not in found.values()
        if is_single and base != name and is_free and id(node) not in found:
            found[id(node)] = base
    return found


def _free_name(name: str, taken: set[str]) -> str:
    """Return a name that no node has, and mark it as taken."""
    count, found = 0, name
    while found in taken:
        count += 1
        found = f"{name}_{count}"
    taken.add(found)
    return found


def named_outputs(edges: Sequence[Edge], names: Sequence[str]) -> list[Edge]:
    """Return edges whose names are `names`, with identity nodes where necessary.

    Only names that end with ``_output`` can be given; others stay.
    """
    found: dict[Edge, Edge] = {}
    for edge, name in zip(edges, names, strict=True):
        node, index = edge
        if edge in found or node.output_names()[index] == name or not name.endswith(_SUFFIX):
            continue
        identity = operators().identity(Symbol([edge]), name=name.removesuffix(_SUFFIX))
        found[edge] = identity.edges[0]
    return [found.get(edge, edge) for edge in edges]
