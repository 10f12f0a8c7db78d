"""Lowering of a symbol: known shapes and types, primitive operators only.

Every node is recreated with its inferred types, and composite operators are expanded. Names of the
result are not visible to users.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...base.errors import DTypeError, OpforgeError, ShapeError, UnknownShapeError
from ...op.declaring.validation import UNKNOWN_TYPE
from ..composition import expand, expanding, make_operation
from ..inference.inferred_symbol import infer_types_of
from ..inference.propagation import Inference, is_elementwise, located
from ..node import Edge, Node, Operation, Type, program_order, topological
from ..symbol import Symbol

__all__ = ["Lowered", "lower"]


@dataclass(frozen=True)
class Lowered:
    """A graph in which all types are known.

    Parameters
    ----------
    variables : dict of str to Node
    outputs : list of (Node, int)
    """

    variables: dict[str, Node]
    outputs: list[Edge]

    @property
    def changes_in_prediction(self) -> bool:
        """True if prediction compiles to a different graph than training."""
        nodes = topological(self.outputs)
        return any(n.operation is not None and n.operation.changes_in_prediction for n in nodes)

    @property
    def is_pure(self) -> bool:
        """True if repeated runs give the same result and have no side effects."""
        nodes = topological(self.outputs)
        return all(node.is_variable or node.is_pure for node in nodes)


def lower(
    symbol: Symbol,
    shapes: Mapping[str, tuple[int, ...]],
    codes: Mapping[str, int],
    predicting: bool = False,
) -> Lowered:
    """Return the graph of a symbol for inputs of given shapes and types.

    Parameters
    ----------
    symbol : Symbol
    shapes : dict of str to tuple of int
        Shapes of variables; those that operators can infer may be missing.
    codes : dict of str to int
        Type codes.
    predicting : bool, default False
        Whether the graph is used neither for training nor for differentiation.

    Raises
    ------
    ShapeError, DTypeError
        The inputs do not fit the graph.
    UnknownShapeError
        A result has no elements: in graphs, a dimension of 0 is unknown.
    OpforgeError
        A shape or type cannot be inferred.
    """
    order = program_order(symbol.edges)
    _expect_different_names(order)
    known = _VariableTypes(symbol, shapes, codes)
    variables: dict[str, Node] = {}
    made: dict[int, Sequence[Edge]] = {}
    with expanding(predicting):
        for node in order:
            if node.operation is None:
                variable = Node(node.name, types=[known.variable(node)])
                made[id(node)] = [(variable, 0)]
                variables[node.name] = variable
            else:
                inputs = [made[id(source)][index] for source, index in node.inputs]
                made[id(node)] = _expand_operator(node, known.operation(node), inputs)
                _expect_elements(made[id(node)], node)
    return Lowered(variables, [made[id(node)][index] for node, index in symbol.edges])


class _VariableTypes:
    """Types of the variables: given, or inferred if one is missing."""

    def __init__(
        self, symbol: Symbol, shapes: Mapping[str, tuple[int, ...]], codes: Mapping[str, int]
    ) -> None:
        self._given = (symbol.edges, shapes, codes)
        self._inference: Inference | None = None

    def operation(self, node: Node) -> Operation:
        """Return the operation of a node; ``zeros((0, 0))`` gets the inferred shape."""
        assert node.operation is not None
        prop = node.operation.prop
        if node.inputs or min(getattr(prop, "shape", None) or (1,)) > 0:
            return node.operation
        found = self._inferred().of((node, 0))
        values = {key: getattr(prop, key) for key in type(prop).attributes} | {"shape": found.shape}
        return make_operation(node.operation.bound.handle, tuple(values.values()))

    def _inferred(self) -> Inference:
        if self._inference is None:
            # Nodes of a trace carry the sizes they were traced with.
            self._inference = infer_types_of(*self._given, discard_types=True)
            self._inference.raise_contradiction()
        return self._inference

    def variable(self, node: Node) -> Type:
        """Return the type of a variable."""
        _, shapes, codes = self._given
        if self._inference is None:
            given = Type(tuple(shapes.get(node.name, ())), codes.get(node.name, UNKNOWN_TYPE))
            if given.known:
                return given
        return _complete_type(self._inferred().of((node, 0)), node)


def _expand_operator(node: Node, operation: Operation, inputs: Sequence[Edge]) -> Sequence[Edge]:
    """Return the outputs of an operator for inputs of known types, including hidden ones."""
    if operation.shapes_from_values:
        raise UnknownShapeError(
            f"node '{node.name}' ({operation.name}) has outputs whose shapes depend on values; a "
            "graph that contains it cannot be compiled"
        )
    if is_elementwise(operation):
        _expect_one_shape(node, inputs)
    try:
        edges = expand(operation, inputs, node.name)
    except (ShapeError, DTypeError) as error:
        raise located(node, error) from error
    called = edges[0][0]
    if called.operation is not operation:
        return edges
    return [(called, index) for index in range(called.num_outputs)]


def _expect_one_shape(node: Node, inputs: Sequence[Edge]) -> None:
    shapes = [source.types[index].shape for source, index in inputs]
    if any(shape != shapes[0] for shape in shapes):
        error = ShapeError(
            f"the inputs have shapes {', '.join(map(str, shapes))}: they must be equal"
        )
        raise located(node, error)


def _expect_different_names(order: Sequence[Node]) -> None:
    names: set[str] = set()
    for node in order:
        if node.is_variable:
            if node.name in names:
                raise OpforgeError(
                    f"the graph has two variables named {node.name!r}; create one and reuse it"
                )
            names.add(node.name)


def _complete_type(found: Type, node: Node) -> Type:
    """Return the type of a variable; an unspecified element type is float32."""
    complete = Type(found.shape, max(found.code, 0))
    if not complete.known:
        raise OpforgeError(
            f"the shape of the argument {node.name!r} is unknown ({found.shape}); specify it"
        )
    return complete


def _expect_elements(edges: Sequence[Edge], node: Node) -> None:
    for source, index in edges:
        shape = source.types[index].shape
        if 0 in shape:
            raise UnknownShapeError(
                f"node '{node.name}' returns an array without elements, of shape {shape}; in a "
                "graph, 0 stands for an unknown dimension"
            )
