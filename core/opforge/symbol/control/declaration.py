"""Base class of control flow operators: names, inputs, and inference in both directions.

Inference visits the bodies until nothing new becomes known: about an input from its uses in the
bodies, about a result from the node that computes it, and about states, whose types are equal
before and after an iteration.
"""

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

from ...base.dtypes import code_of, dtype_of
from ...base.errors import DTypeError, ShapeError
from ...base.version import VERSION
from ...native.dispatch.plans import Handle
from ...op.calling.binding import bind_declaration
from ...op.declaring.custom import CustomOpProp
from ...op.declaring.inference import united
from ...op.declaring.validation import UNKNOWN_TYPE
from ...op.registry.entry import CORE, Entry
from ..inference.propagation import Inference
from ..node import UNKNOWN, Operation, Type, topological
from .subgraph import Subgraph

__all__ = ["ControlFlow", "operation_of"]


class ControlFlow(CustomOpProp):
    """Base class of operators that run subgraphs.

    Parameters
    ----------
    subgraphs : sequence of Subgraph
        Subgraphs in MXNet's order.
    n_inputs : int
        Number of inputs, including auxiliary states, which come last.
    n_outputs : int
    """

    #: MXNet's name of the operator.
    name: ClassVar[str]
    #: Inference may run with partial information, and its result holds for unknown sizes too.
    variadic: ClassVar[str] = "num_args"
    keeps_unknown: ClassVar[bool] = True
    #: Number of leading subgraphs that compute a condition, which is a single number.
    n_conditions: ClassVar[int] = 0

    def __init__(self, subgraphs: Sequence[Subgraph], n_inputs: int, n_outputs: int) -> None:
        super().__init__()
        self.subgraphs = tuple(subgraphs)
        self.n_outputs = n_outputs
        found = [[graph.variables[at] for graph in self.subgraphs] for at in range(n_inputs)]
        readers = [[node for node in nodes if node is not None] for nodes in found]
        self._names = [r[0].name if r else f"unread{at}" for at, r in enumerate(readers)]
        states = {key for graph in self.subgraphs for key in graph.states}
        self.n_states = sum(any(id(node) in states for node in nodes) for nodes in readers)

    def attribute_strings(self) -> dict[str, str]:
        """Return the attributes as MXNet stores them."""
        raise NotImplementedError(f"{type(self).__name__} must define attribute_strings()")

    def list_arguments(self) -> list[str]:
        """Return the names of the inputs in the subgraphs."""
        return self._names[: len(self._names) - self.n_states]

    def list_outputs(self) -> list[str]:
        """Return the names of the outputs."""
        if self.n_outputs == 1:
            return ["output"]
        return [f"output{at}" for at in range(self.n_outputs)]

    def list_auxiliary_states(self) -> list[str]:
        """Return the names of the states that operators in the subgraphs change."""
        return self._names[len(self._names) - self.n_states :]

    # -- mapping between values inside and outside of the subgraphs ---------------------------

    def inner_input(self, position: int, found: Type) -> Type:
        """Return the type of an input inside the subgraphs: its own, or that of one row."""
        return found

    def outer_input(self, position: int, found: Type, known: Type) -> Type:
        """Return the type of an input given its inner and its previously known type."""
        return found

    def inner_output(self, output: int, found: Type) -> Type:
        """Return the type of an output inside the subgraph that computes it."""
        return found

    def outer_output(self, output: int, found: Type, inputs: Sequence[Type]) -> Type:
        """Return the type of an output given its inner type."""
        return found

    def output_subgraphs(self) -> Sequence[int]:
        """Return the indices of the subgraphs that compute the outputs."""
        raise NotImplementedError(f"{type(self).__name__} must define output_subgraphs()")

    def loop_carried(self) -> Iterable[tuple[int, int]]:
        """Yield pairs of an input and the output that replaces it in the next iteration."""
        return ()

    # -- inference ----------------------------------------------------------------------------

    def infer_shape(self, in_shape: Sequence[Any]) -> Any:
        """Return the shapes of inputs, outputs and states that follow from those of the inputs."""
        return self._shapes(in_shape, [()] * self.n_outputs)

    def infer_inputs(self, in_shapes: Sequence[Any], out_shapes: Sequence[Any]) -> Any:
        """Return the shapes of the inputs, refined by those of the outputs."""
        return self._shapes(in_shapes, out_shapes)[0]

    def infer_type(self, in_type: Sequence[Any]) -> Any:
        """Return the types of inputs, outputs and states that follow from those of the inputs."""
        return self._types(in_type, [None] * self.n_outputs)

    def infer_input_types(self, in_types: Sequence[Any], out_types: Sequence[Any]) -> Any:
        """Return the types of the inputs, refined by those of the outputs."""
        return self._types(in_types, out_types)[0]

    def _shapes(self, inputs: Sequence[Any], outputs: Sequence[Any]) -> Any:
        known, wanted = ([Type(tuple(s), UNKNOWN_TYPE) for s in g] for g in (inputs, outputs))
        return [[t.shape for t in group] for group in self._infer(known, wanted, True)]

    def _types(self, inputs: Sequence[Any], outputs: Sequence[Any]) -> Any:
        known, wanted = (
            [Type((), UNKNOWN_TYPE if dtype is None else code_of(dtype)) for dtype in group]
            for group in (inputs, outputs)
        )
        found = self._infer(known, wanted, False)
        return [[None if t.code < 0 else dtype_of(t.code) for t in group] for group in found]

    def _infer(
        self, inputs: list[Type], outputs: list[Type], of_shapes: bool
    ) -> tuple[list[Type], list[Type], list[Type]]:
        """Run inference in the subgraphs to a fixed point; return arguments, outputs, states."""
        asked = [
            Inference(topological(graph.outputs), of_shapes, not of_shapes)
            for graph in self.subgraphs
        ]
        inputs = inputs + [UNKNOWN] * self.n_states
        before: Any = None
        while before != (inputs, outputs):
            before = list(inputs), list(outputs)
            for at in self.output_subgraphs():
                for output, edge in enumerate(self.subgraphs[at].outputs):
                    asked[at].note(edge, self.inner_output(output, outputs[output]), edge[0])
            for graph, inference in zip(self.subgraphs, asked, strict=True):
                self._infer_subgraph(graph, inference, inputs)
            for at in self.output_subgraphs():
                for output, edge in enumerate(self.subgraphs[at].outputs):
                    found = self.outer_output(output, asked[at].of(edge), inputs)
                    outputs[output] = self._merged(outputs[output], found, f"output {output}")
            for position, output in self.loop_carried():
                what = f"the state {self._names[position]!r} before and after an iteration"
                both = self._merged(inputs[position], outputs[output], what)
                inputs[position] = outputs[output] = both
        for inference in asked:
            inference.raise_contradiction()
        for graph, inference in zip(self.subgraphs[: self.n_conditions], asked, strict=False):
            self._expect_one_number(inference.of(graph.outputs[0]).shape)
        n_arguments = len(inputs) - self.n_states
        return inputs[:n_arguments], outputs, inputs[n_arguments:]

    def _infer_subgraph(self, graph: Subgraph, inference: Inference, inputs: list[Type]) -> None:
        """Pass the known input types to a subgraph and merge what it infers about them."""
        read = [(at, node) for at, node in enumerate(graph.variables) if node is not None]
        for at, node in read:
            inference.note((node, 0), self.inner_input(at, inputs[at]), node)
        inference.run()
        for at, node in read:
            found = self.outer_input(at, inference.of((node, 0)), inputs[at])
            inputs[at] = self._merged(inputs[at], found, f"input {self._names[at]!r}")

    def _expect_one_number(self, shape: tuple[int, ...]) -> None:
        if any(length > 1 for length in shape):
            raise ShapeError(
                f"{self.name}: the condition has shape {shape}, expected one number; reduce it, "
                "for example with sum or max"
            )

    def _merged(self, known: Type, found: Type, what: str) -> Type:
        shape = united(known.shape, found.shape)
        if shape is None:
            raise ShapeError(
                f"{self.name}: {what}: the shapes are {known.shape} and {found.shape}, expected "
                "equal ones"
            )
        codes = {known.code, found.code} - {UNKNOWN_TYPE}
        if len(codes) > 1:
            names = " and ".join(dtype_of(code).__name__ for code in (known.code, found.code))
            raise DTypeError(f"{self.name}: {what}: the types are {names}, expected equal ones")
        return Type(shape, max(known.code, found.code))


def operation_of(prop: ControlFlow) -> Operation:
    """Return the operation of a node with subgraphs."""
    entry = Entry(prop.name, type(prop), CORE, VERSION, "std")
    bound = bind_declaration(Handle(prop.name, entry, None), prop)
    return Operation(prop.name, bound, prop.attribute_strings())
