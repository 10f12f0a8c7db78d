"""`Inference`: propagation of known shapes and types through a graph, node by node.

Nodes are visited in topological order, and again when a neighboring value becomes known: an
operator may determine the shapes of its inputs, also from those of its outputs.
"""

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...base.dtypes import code_of, dtype_of
from ...base.errors import DTypeError, OpforgeError, ShapeError
from ...op.declaring.inference import check_positions, infer_types, united
from ...op.declaring.validation import UNKNOWN_TYPE
from ..node import UNKNOWN, Edge, Node, Operation, Type
from ..variable_attributes import declared_type
from .partial_shapes import infer_partial_shapes, lacks_inputs

__all__ = ["Inference", "is_elementwise", "located"]

Shape = tuple[int, ...]


@dataclass
class Inference:
    """Known types of all outputs of a graph's nodes.

    Parameters
    ----------
    order : list of Node
        All nodes in topological order.
    of_shapes, of_types : bool, default True
        Whether shapes and types are inferred.
    shapes : dict of str to tuple of int
        Shapes of variables, which override the declared ones.
    codes : dict of str to int
        Codes of the element types of variables, likewise.
    discard_types : bool, default False
        Whether to discard the types stored in the nodes, which may be those of other sizes.
    """

    order: list[Node]
    of_shapes: bool = True
    of_types: bool = True
    shapes: Mapping[str, Shape] = field(default_factory=dict)
    codes: Mapping[str, int] = field(default_factory=dict)
    discard_types: bool = False
    types: dict[int, list[Type]] = field(default_factory=dict)
    #: Errors of operators that could not infer; their inputs may not have been known yet.
    failures: dict[int, Exception] = field(default_factory=dict)
    #: Nodes that read an output of a node.
    users: dict[int, list[Node]] = field(default_factory=dict)
    #: Nodes to visit, each at most once; initially in topological order.
    waiting: deque[Node] = field(default_factory=deque)
    queued: set[int] = field(default_factory=set)
    #: Nodes that were visited with all inputs known and need no further visit.
    finished: set[int] = field(default_factory=set)
    #: Results of operators by given shapes and types, so that equal layers are inferred once.
    answers: dict[Any, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for node in self.order:
            self.types[id(node)] = (
                [UNKNOWN] * len(node.types) if self.discard_types else list(node.types)
            )
            self.users[id(node)] = []
            for source, _ in node.inputs:
                self.users[id(source)].append(node)
            if node.operation is not None:
                self._enqueue(node)
        for node in self.order:
            if node.operation is None:
                self.note((node, 0), self._given_or_declared(node), node)

    def _given_or_declared(self, node: Node) -> Type:
        shape, code = declared_type(node)
        given = self.codes.get(node.name, UNKNOWN_TYPE)
        return Type(self.shapes.get(node.name) or shape, code if given == UNKNOWN_TYPE else given)

    def of(self, edge: Edge) -> Type:
        """Return the known type of one output."""
        node, index = edge
        return self.types[id(node)][index]

    def note(self, edge: Edge, found: Type, user: Node) -> None:
        """Merge `found` into the known type of an output; if it changes, enqueue its neighbors.

        Raises
        ------
        ShapeError, DTypeError
            The types contradict each other.
        """
        node, index = edge
        known = self.types[id(node)][index]
        if known == found or found is UNKNOWN:
            return
        united = Type(
            _merged_shape(known.shape, found.shape, edge, user),
            _merged_code(known.code, found.code, edge, user),
        )
        if united == known:
            return
        self.types[id(node)][index] = united
        self._enqueue(node)
        for other in self.users[id(node)]:
            self._enqueue(other)

    def _enqueue(self, node: Node) -> None:
        key = id(node)
        if node.operation is None or key in self.queued or key in self.finished:
            return
        self.queued.add(key)
        self.waiting.append(node)

    def run(self) -> None:
        """Visit nodes until nothing changes.

        A change enqueues only the neighbors, and each output changes a few times at most (type,
        rank, dimensions), so the time is linear in the size of the graph.
        """
        while self.waiting:
            node = self.waiting.popleft()
            self.queued.discard(id(node))
            if id(node) not in self.finished:
                self.visit(node)

    def visit(self, node: Node) -> None:
        """Let the operator of a node complete its inputs and infer its outputs."""
        assert node.operation is not None
        self._infer_backward(node)
        arguments = self._of_all(node.inputs[: node.operation.n_arguments])
        shapes, codes = self._infer_forward(node, arguments)
        outputs = [(node, i) for i in range(node.num_outputs)]
        states = node.inputs[len(arguments) :]
        for group, edges in enumerate((node.inputs[: len(arguments)], outputs, states)):
            for at, edge in enumerate(edges):
                shape = shapes[group][at] if shapes else ()
                code = codes[group][at] if codes else UNKNOWN_TYPE
                self.note(edge, Type(shape, code), node)
        answered = (shapes or not self.of_shapes) and (codes or not self.of_types)
        if answered and self._are_known(node.inputs):
            self._check_positions(node, arguments)
            self.finished.add(id(node))

    def _check_positions(self, node: Node, arguments: Sequence[Type]) -> None:
        """Reject indices that their element type cannot hold, once shapes and types are known."""
        assert node.operation is not None
        codes = [t.code for t in self.types[id(node)]]
        shapes = [t.shape for t in arguments]
        try:
            check_positions(node.operation.prop, node.operation.entry, shapes, codes)
        except OpforgeError as error:
            raise located(node, error) from error

    def _of_all(self, edges: Sequence[Edge]) -> list[Type]:
        return [self.types[id(node)][index] for node, index in edges]

    def _are_known(self, edges: Sequence[Edge]) -> bool:
        """Return whether everything that is inferred of these outputs is known."""
        for shape, code in self._of_all(edges):
            if self.of_shapes and (not shape or 0 in shape):
                return False
            if self.of_types and code == UNKNOWN_TYPE:
                return False
        return True

    def _infer_forward(self, node: Node, arguments: Sequence[Type]) -> tuple[Any, Any]:
        """Return the operator's shapes and types, each None if it cannot infer them yet."""
        assert node.operation is not None
        bound = node.operation.bound
        names = bound.names
        shapes = codes = None
        if self.of_shapes:
            given = [t.shape for t in arguments]
            key: Any = "shape", id(bound), *given
            if key not in self.answers:
                self.answers[key] = self._shapes(node, given, names)
            shapes = self.answers[key]
        if self.of_types:
            given_codes = [t.code for t in arguments]
            key = "type", id(bound), *given_codes
            if key not in self.answers:
                self.answers[key] = self._codes(node, given_codes, names)
            codes = self.answers[key]
        failure = shapes if isinstance(shapes, Exception) else codes
        if not isinstance(failure, Exception):
            self.failures.pop(id(node), None)
            return shapes, codes
        self.failures[id(node)] = failure
        if all(t.known for t in arguments):
            raise located(node, failure) from failure
        return (
            None if isinstance(shapes, Exception) else shapes,
            None if isinstance(codes, Exception) else codes,
        )

    def _shapes(self, node: Node, given: list[Shape], names: Any) -> Any:
        operation = node.operation
        assert operation is not None
        if lacks_inputs(operation, given):
            return None
        try:
            return infer_partial_shapes(operation, given, names)
        except MemoryError:
            raise
        except Exception as error:
            # A declaration may rely on shapes that another node determines later.
            if all(shape and 0 not in shape for shape in given):
                raise located(node, error) from error
            return error

    def _codes(self, node: Node, given: list[int], names: Any) -> Any:
        operation = node.operation
        assert operation is not None
        try:
            return infer_types(operation.prop, operation.entry, given, names)
        except MemoryError:
            raise
        except Exception as error:
            if UNKNOWN_TYPE not in given:
                raise located(node, error) from error
            return error

    def _infer_backward(self, node: Node) -> None:
        """Infer shapes and types of inputs from those of the outputs, if the operator can."""
        assert node.operation is not None
        arguments = node.inputs[: node.operation.n_arguments]
        if self.of_shapes and is_elementwise(node.operation):
            self._share_shape(node)
        if self._are_known(arguments):
            return
        self._complete_shapes(node, arguments)
        if self.of_types:
            self._complete_types(node, arguments)

    def _share_shape(self, node: Node) -> None:
        """Merge the known shapes of an elementwise operator and assign them to all its values."""
        edges = [*node.inputs, *[(node, i) for i in range(node.num_outputs)]]
        shape: Shape = ()
        for edge, known in zip(edges, self._of_all(edges), strict=True):
            shape = _merged_shape(shape, known.shape, edge, node)
        common = Type(shape, UNKNOWN_TYPE)
        for edge in edges:
            self.note(edge, common, node)

    def _complete_shapes(self, node: Node, arguments: Sequence[Edge]) -> None:
        assert node.operation is not None
        complete = getattr(node.operation.prop, "infer_inputs", None)
        if complete is None:
            return
        outputs = [t.shape for t in self.types[id(node)]]
        if any(outputs):
            inputs = [t.shape for t in self._of_all(arguments)]
            for edge, shape in zip(arguments, complete(inputs, outputs), strict=False):
                self.note(edge, Type(tuple(shape), UNKNOWN_TYPE), node)

    def _complete_types(self, node: Node, arguments: Sequence[Edge]) -> None:
        assert node.operation is not None
        complete = getattr(node.operation.prop, "infer_input_types", None)
        if complete is None:
            return
        outputs = [_dtype(t.code) for t in self.types[id(node)]]
        if any(outputs):
            found = complete([_dtype(t.code) for t in self._of_all(arguments)], outputs)
            for edge, dtype in zip(arguments, found, strict=True):
                if dtype is not None:
                    self.note(edge, Type((), code_of(dtype)), node)

    def raise_contradiction(self) -> None:
        """Raise the first error that contradicts known shapes or types, if there is one.

        Errors of operators whose first input is unknown do not count.
        """
        for node in self.order:
            error = self.failures.get(id(node))
            if isinstance(error, ShapeError | DTypeError) and self._reads_known(node):
                raise located(node, error) from error

    def _reads_known(self, node: Node) -> bool:
        shape = self.of(node.inputs[0]).shape
        return bool(shape) and 0 not in shape

    def explain(self) -> str:
        """Return the errors of operators that could not infer, for incomplete graphs."""
        names = {id(node): node.name for node in self.order}
        return "; ".join(f"{names[key]}: {error}" for key, error in self.failures.items())


def _dtype(code: int) -> Any:
    return None if code == UNKNOWN_TYPE else dtype_of(code)


def is_elementwise(operation: Operation) -> bool:
    """Return whether all inputs and outputs of an operator have the same shape."""
    prop = operation.prop
    if getattr(prop, "elementwise_kernel", None) is not None:
        return not getattr(prop, "kernel_broadcasts", False)
    named = getattr(operation.entry.prop_class, "named_attribute", None)
    return named is not None and bool(named("FElementwiseShape", False))


def _merged_shape(known: Shape, found: Shape, edge: Edge, user: Node) -> Shape:
    both = united(known, found)
    if both is None:
        raise ShapeError(
            f"Error in node '{user.name}'{_operator(user)}: "
            f"'{edge[0].output_names()[edge[1]]}' has shape {known}, inferred is {found}: "
            "they must be equal"
        )
    return both


def _merged_code(known: int, found: int, edge: Edge, user: Node) -> int:
    if UNKNOWN_TYPE in (known, found) or known == found:
        return found if known == UNKNOWN_TYPE else known
    names = [dtype_of(code).__name__ for code in (known, found)]
    raise DTypeError(
        f"Error in node '{user.name}'{_operator(user)}: '{edge[0].output_names()[edge[1]]}' is "
        f"{names[0]}, inferred is {names[1]}: they must be equal"
    )


def _operator(node: Node) -> str:
    return f" ({node.operation.name})" if node.operation else ""


def located(node: Node, error: Exception) -> Exception:
    """Return the error with the name of the node, as an error of the same class."""
    text = f"Error in node '{node.name}'{_operator(node)}: {error}"
    for kind in (ShapeError, DTypeError):
        if isinstance(error, kind):
            return kind(text)
    return OpforgeError(text)
