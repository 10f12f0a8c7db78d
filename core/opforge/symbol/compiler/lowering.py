"""From a symbol to the graph that is computed: settled shapes and types, primitive operators.

Every node is made anew with the types that inference found, and operators that are composed of
others become those. The result has no names that anybody sees.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...base.errors import OpforgeError, UnknownShapeError
from ..composition import expand, expanding
from ..inference.inferred_symbol import infer_types_of
from ..node import Edge, Node, Type, as_written
from ..symbol import Symbol

__all__ = ["Lowered", "lower"]


@dataclass(frozen=True)
class Lowered:
    """A graph whose types are all known.

    Parameters
    ----------
    variables : dict of str to Node
    outputs : list of (Node, int)
    """

    variables: dict[str, Node]
    outputs: list[Edge]


def lower(
    symbol: Symbol, shapes: Mapping[str, tuple[int, ...]], codes: Mapping[str, int]
) -> Lowered:
    """Return the graph of a symbol for inputs of given shapes and types.

    Parameters
    ----------
    symbol : Symbol
    shapes : dict of str to tuple of int
        Of variables; what the operators tell may be left out.
    codes : dict of str to int
        Type codes.

    Raises
    ------
    ShapeError, DTypeError
        Inputs do not fit.
    UnknownShapeError
        A result has no elements: graphs have 0 for a dimension that is unknown.
    OpforgeError
        Something cannot be inferred.
    """
    order = as_written(node for node, _ in symbol.edges)
    _expect_different_names(order)
    inference = infer_types_of(symbol.edges, shapes, codes)
    inference.raise_contradiction()
    variables: dict[str, Node] = {}
    made: dict[int, Sequence[Edge]] = {}
    with expanding():
        for node in order:
            if node.operation is None:
                variable = Node(node.name, types=[_settled(inference.of((node, 0)), node)])
                made[id(node)] = [(variable, 0)]
                variables[node.name] = variable
            else:
                inputs = [made[id(source)][index] for source, index in node.inputs]
                made[id(node)] = expand(node.operation, inputs, node.name).edges
                _expect_elements(made[id(node)], node)
    return Lowered(variables, [made[id(node)][index] for node, index in symbol.edges])


def _expect_different_names(order: Sequence[Node]) -> None:
    names: set[str] = set()
    for node in order:
        if node.is_variable:
            if node.name in names:
                raise OpforgeError(
                    f"the graph has two variables named {node.name!r}; make one and use it twice"
                )
            names.add(node.name)


def _settled(found: Type, node: Node) -> Type:
    """Return the type of a variable; what nobody said is float32."""
    complete = Type(found.shape, max(found.code, 0))
    if not complete.known:
        raise OpforgeError(
            f"the shape of the argument {node.name!r} is unknown ({found.shape}); give it"
        )
    return complete


def _expect_elements(edges: Sequence[Edge], node: Node) -> None:
    for source, index in edges:
        shape = source.types[index].shape
        if 0 in shape:
            raise UnknownShapeError(
                f"node '{node.name}' gives an array without elements, of shape {shape}: in a graph "
                "0 stands for an unknown dimension"
            )
