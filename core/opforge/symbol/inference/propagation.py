"""`Inference`: what is known of a graph's shapes and types, and how it spreads from node to node.

Nodes are asked in the order of computation, and again when something next to them becomes known: an
operator may tell the shape of its inputs, also from that of its outputs.
"""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...base.dtypes import DTYPES, code_of
from ...base.errors import DTypeError, OpforgeError, ShapeError
from ...op.declaring.answers import UNKNOWN_TYPE, names_of
from ...op.declaring.inference import check_positions, infer_types, united
from ..declared import declared_type
from ..node import UNKNOWN, Edge, Node, Operation, Type
from .partial_shapes import ask_shapes, too_little

__all__ = ["Inference", "is_elementwise", "located"]

Shape = tuple[int, ...]


@dataclass
class Inference:
    """Known types of every output of a graph's nodes.

    Parameters
    ----------
    order : list of Node
        All nodes, inputs before their users.
    of_shapes, of_types : bool, default True
        Whether operators are asked for shapes, and for types.
    shapes : dict of str to tuple of int
        Of variables; they take the place of what the variables say themselves.
    anew : bool, default False
        Whether to forget what is known of the nodes: they were made for other sizes.
    """

    order: list[Node]
    of_shapes: bool = True
    of_types: bool = True
    shapes: Mapping[str, Shape] = field(default_factory=dict)
    anew: bool = False
    types: dict[int, list[Type]] = field(default_factory=dict)
    #: Why the operator of a node could not tell: its inputs may have been unknown still.
    failures: dict[int, Exception] = field(default_factory=dict)
    #: The nodes that read some output of a node.
    users: dict[int, list[Node]] = field(default_factory=dict)
    #: Nodes to ask, each once, in the order of computation at first.
    waiting: deque[Node] = field(default_factory=deque)
    queued: set[int] = field(default_factory=set)
    #: Nodes that were asked when all inputs were known: they have nothing to add.
    settled: set[int] = field(default_factory=set)
    #: What operators answered to given shapes and types; equal layers are asked once.
    answers: dict[Any, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for node in self.order:
            self.types[id(node)] = [UNKNOWN] * len(node.types) if self.anew else list(node.types)
            self.users[id(node)] = []
            for source, _ in node.inputs:
                self.users[id(source)].append(node)
            if not node.is_variable:
                self._wait(node)
        for node in self.order:
            if node.is_variable:
                said = declared_type(node)
                shape = self.shapes.get(node.name) or said.shape
                self.note((node, 0), Type(shape, said.code), node)

    def of(self, edge: Edge) -> Type:
        """Return what is known of one output."""
        node, index = edge
        return self.types[id(node)][index]

    def note(self, edge: Edge, found: Type, user: Node) -> None:
        """Unite what is known of an output with `found`; if that is news, ask its neighbours.

        Raises
        ------
        ShapeError, DTypeError
            They contradict each other.
        """
        node, index = edge
        known = self.types[id(node)][index]
        if known == found or found is UNKNOWN:
            return
        united = Type(
            _united_shape(known.shape, found.shape, edge, user),
            _united_code(known.code, found.code, edge, user),
        )
        if united == known:
            return
        self.types[id(node)][index] = united
        self._wait(node)
        for other in self.users[id(node)]:
            self._wait(other)

    def _wait(self, node: Node) -> None:
        key = id(node)
        if node.is_variable or key in self.queued or key in self.settled:
            return
        self.queued.add(key)
        self.waiting.append(node)

    def run(self) -> None:
        """Ask nodes until nothing changes.

        Each change asks the neighbours alone, and each output changes a few times at most (its
        type, its rank, its dimensions), so the time is linear in the graph.
        """
        while self.waiting:
            node = self.waiting.popleft()
            self.queued.discard(id(node))
            if id(node) not in self.settled:
                self.ask(node)

    def ask(self, node: Node) -> None:
        """Let the operator of a node complete its inputs and tell its outputs."""
        assert node.operation is not None
        operation = node.operation
        self._ask_back(node)
        arguments = [self.of(edge) for edge in node.inputs[: operation.bound.n_arguments]]
        shapes, codes = self._answer(node, arguments)
        outputs = [(node, i) for i in range(node.num_outputs)]
        states = node.inputs[len(arguments) :]
        for group, edges in enumerate((node.inputs[: len(arguments)], outputs, states)):
            for at, edge in enumerate(edges):
                shape = shapes[group][at] if shapes else ()
                code = codes[group][at] if codes else UNKNOWN_TYPE
                self.note(edge, Type(shape, code), node)
        answered = (shapes or not self.of_shapes) and (codes or not self.of_types)
        if answered and all(self._is_known(edge) for edge in node.inputs):
            self._check_positions(node, arguments)
            self.settled.add(id(node))

    def _check_positions(self, node: Node, arguments: Sequence[Type]) -> None:
        """Refuse positions that their element type cannot hold, once shapes and types are known."""
        assert node.operation is not None
        codes = [t.code for t in self.types[id(node)]]
        shapes = [t.shape for t in arguments]
        try:
            check_positions(node.operation.prop, node.operation.entry, shapes, codes)
        except OpforgeError as error:
            raise located(node, error) from error

    def _is_known(self, edge: Edge) -> bool:
        known = self.of(edge)
        shape = not self.of_shapes or (bool(known.shape) and 0 not in known.shape)
        return shape and (not self.of_types or known.code != UNKNOWN_TYPE)

    def _answer(self, node: Node, arguments: Sequence[Type]) -> tuple[Any, Any]:
        """Return the operator's answers on shapes and on types, None where it cannot tell yet."""
        assert node.operation is not None
        bound = node.operation.bound
        names = self._names(node)
        shapes = codes = None
        if self.of_shapes:
            shapes = self._cached(
                ("shape", id(bound), *(t.shape for t in arguments)),
                lambda: self._shapes(node, [t.shape for t in arguments], names),
            )
        if self.of_types:
            codes = self._cached(
                ("type", id(bound), *(t.code for t in arguments)),
                lambda: self._codes(node, [t.code for t in arguments], names),
            )
        failure = next((a for a in (shapes, codes) if isinstance(a, Exception)), None)
        if failure is None:
            self.failures.pop(id(node), None)
        else:
            self.failures[id(node)] = failure
            if all(t.known for t in arguments):
                raise located(node, failure) from failure
        shapes, codes = (None if isinstance(a, Exception) else a for a in (shapes, codes))
        return shapes, codes

    def _cached(self, key: Any, ask: Callable[[], Any]) -> Any:
        if key not in self.answers:
            self.answers[key] = ask()
        return self.answers[key]

    def _names(self, node: Node) -> Any:
        assert node.operation is not None
        operation = node.operation
        return self._cached(
            ("names", id(operation.bound)), lambda: names_of(operation.prop, operation.entry)
        )

    def _shapes(self, node: Node, given: list[Shape], names: Any) -> Any:
        operation = node.operation
        assert operation is not None
        if too_little(operation, given):
            return None
        try:
            return ask_shapes(operation, given, names)
        except MemoryError:
            raise
        except Exception as error:
            # A declaration may count on shapes that another node will tell later.
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

    def _ask_back(self, node: Node) -> None:
        """Let the outputs tell the shapes and types of the inputs, where the operator knows how."""
        assert node.operation is not None
        operation = node.operation
        arguments = node.inputs[: operation.bound.n_arguments]
        if self.of_shapes and is_elementwise(operation):
            self._share_shape(node)
        if all(self._is_known(edge) for edge in arguments):
            return
        outputs = [self.of((node, i)) for i in range(node.num_outputs)]
        if any(t.shape for t in outputs):
            self._complete_shapes(node, arguments, [t.shape for t in outputs])
        if self.of_types and any(t.code != UNKNOWN_TYPE for t in outputs):
            self._complete_types(node, arguments, [t.code for t in outputs])

    def _share_shape(self, node: Node) -> None:
        """Give all inputs and outputs of an elementwise operator what is known of any."""
        edges = [*node.inputs, *((node, i) for i in range(node.num_outputs))]
        shape: Shape = ()
        for edge in edges:
            shape = _united_shape(shape, self.of(edge).shape, edge, node)
        for edge in edges:
            self.note(edge, Type(shape, UNKNOWN_TYPE), node)

    def _complete_shapes(
        self, node: Node, arguments: Sequence[Edge], outputs: Sequence[Shape]
    ) -> None:
        assert node.operation is not None
        complete = getattr(node.operation.prop, "infer_inputs", None)
        if complete is not None:
            inputs = [self.of(edge).shape for edge in arguments]
            for edge, shape in zip(arguments, complete(inputs, outputs), strict=False):
                self.note(edge, Type(tuple(shape), UNKNOWN_TYPE), node)

    def _complete_types(
        self, node: Node, arguments: Sequence[Edge], outputs: Sequence[int]
    ) -> None:
        assert node.operation is not None
        complete = getattr(node.operation.prop, "infer_input_types", None)
        if complete is not None:
            inputs = [_dtype(self.of(edge).code) for edge in arguments]
            found = complete(inputs, [_dtype(code) for code in outputs])
            for edge, dtype in zip(arguments, found, strict=True):
                if dtype is not None:
                    self.note(edge, Type((), code_of(dtype)), node)

    def raise_contradiction(self) -> None:
        """Raise what an operator said against the shapes and types it was given, if one did.

        An operator whose first input is unknown has said nothing that counts.
        """
        for node in self.order:
            error = self.failures.get(id(node))
            if isinstance(error, ShapeError | DTypeError) and self._reads_known(node):
                raise located(node, error) from error

    def _reads_known(self, node: Node) -> bool:
        shape = self.of(node.inputs[0]).shape
        return bool(shape) and 0 not in shape

    def explain(self) -> str:
        """Return the operators that could not tell, for the error about an incomplete graph."""
        names = {id(node): node.name for node in self.order}
        return "; ".join(f"{names[key]}: {error}" for key, error in self.failures.items())


def _dtype(code: int) -> Any:
    return None if code == UNKNOWN_TYPE else DTYPES[code]


def is_elementwise(operation: Operation) -> bool:
    """Tell whether all inputs and outputs of an operator have one shape."""
    prop = operation.prop
    if getattr(prop, "elementwise_kernel", None) is not None:
        return not getattr(prop, "kernel_broadcasts", False)
    named = getattr(operation.entry.prop_class, "named_attribute", None)
    return named is not None and bool(named("FElementwiseShape", False))


def _united_shape(known: Shape, found: Shape, edge: Edge, user: Node) -> Shape:
    both = united(known, found)
    if both is None:
        raise ShapeError(
            f"Error in node '{user.name}'{_operator(user)}: "
            f"'{edge[0].output_names()[edge[1]]}' has shape {known}, inferred is {found}: "
            "they must be equal"
        )
    return both


def _united_code(known: int, found: int, edge: Edge, user: Node) -> int:
    if UNKNOWN_TYPE in (known, found) or known == found:
        return found if known == UNKNOWN_TYPE else known
    names = [DTYPES[code].__name__ for code in (known, found)]
    raise DTypeError(
        f"Error in node '{user.name}'{_operator(user)}: '{edge[0].output_names()[edge[1]]}' is "
        f"{names[0]}, inferred is {names[1]}: they must be equal"
    )


def _operator(node: Node) -> str:
    return f" ({node.operation.name})" if node.operation else ""


def located(node: Node, error: Exception) -> Exception:
    """Return the error with the name of the node, of the class it has."""
    text = f"Error in node '{node.name}'{_operator(node)}: {error}"
    for kind in (ShapeError, DTypeError):
        if isinstance(error, kind):
            return kind(text)
    return OpforgeError(text)
