"""Base of operators whose bodies are graphs: names, inputs, and inference both ways.

Inference asks the bodies, as often as something new becomes known: of an input from its users in
the bodies, of a result from what computes it, and of states, which are the same before and after a
turn.
"""

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

from ...base.dtypes import DTYPES, code_of
from ...base.errors import DTypeError, ShapeError
from ...base.version import VERSION
from ...native.dispatch.plans import Handle
from ...op.calling.binding import bind_declaration
from ...op.declaring.answers import UNKNOWN_TYPE
from ...op.declaring.custom import CustomOpProp
from ...op.declaring.inference import united
from ...op.registry.entry import CORE, Entry
from ..inference.propagation import Inference
from ..node import UNKNOWN, Operation, Type, topological
from .subgraph import Subgraph

__all__ = ["ControlFlow", "operation_of"]


class ControlFlow(CustomOpProp):
    """Base of operators that run subgraphs.

    Parameters
    ----------
    subgraphs : sequence of Subgraph
        In MXNet's order.
    n_inputs : int
        How many inputs there are, auxiliary states included, which come last.
    n_outputs : int
    """

    #: As MXNet calls it.
    name: ClassVar[str]
    #: Inference asks as soon as anything is known, and what it answers is true of unknown sizes.
    variadic: ClassVar[str] = "num_args"
    keeps_unknown: ClassVar[bool] = True
    #: How many of the subgraphs, from the first one, give one number that decides what is run.
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
        """Return the attributes as MXNet writes them."""
        raise NotImplementedError(f"{type(self).__name__} does not say its attributes")

    def list_arguments(self) -> list[str]:
        """Return the names that the inputs have in the subgraphs."""
        return self._names[: len(self._names) - self.n_states]

    def list_outputs(self) -> list[str]:
        """Return the names of the outputs."""
        if self.n_outputs == 1:
            return ["output"]
        return [f"output{at}" for at in range(self.n_outputs)]

    def list_auxiliary_states(self) -> list[str]:
        """Return the names of what operators in the subgraphs change."""
        return self._names[len(self._names) - self.n_states :]

    # -- how values inside and outside of the subgraphs belong together -----------------------

    def inside(self, position: int, found: Type) -> Type:
        """Return what an input is for the subgraphs: itself, or one row of it."""
        return found

    def outside(self, position: int, found: Type, known: Type) -> Type:
        """Undo `inside`; `known` is what was known of the input."""
        return found

    def within(self, output: int, found: Type) -> Type:
        """Return what an output is where a subgraph computes it."""
        return found

    def stacked(self, output: int, found: Type, inputs: Sequence[Type]) -> Type:
        """Undo `within`."""
        return found

    def computing(self) -> Sequence[int]:
        """Return which of the subgraphs compute the outputs."""
        raise NotImplementedError(f"{type(self).__name__} does not say what computes its outputs")

    def carried(self) -> Iterable[tuple[int, int]]:
        """Yield the inputs that an output becomes in the next turn, with these outputs."""
        return ()

    # -- inference ----------------------------------------------------------------------------

    def infer_shape(self, in_shape: Sequence[Any]) -> Any:
        """Return the shapes of inputs, outputs and states that follow from those of inputs."""
        return self._shapes(in_shape, [()] * self.n_outputs)

    def infer_inputs(self, in_shapes: Sequence[Any], out_shapes: Sequence[Any]) -> Any:
        """Return the inputs' shapes with what the outputs' tell of them."""
        return self._shapes(in_shapes, out_shapes)[0]

    def infer_type(self, in_type: Sequence[Any]) -> Any:
        """Return the types of inputs, outputs and states that follow from those of inputs."""
        return self._types(in_type, [None] * self.n_outputs)

    def infer_input_types(self, in_types: Sequence[Any], out_types: Sequence[Any]) -> Any:
        """Return the inputs' types with what the outputs' tell of them."""
        return self._types(in_types, out_types)[0]

    def _shapes(self, inputs: Sequence[Any], outputs: Sequence[Any]) -> Any:
        known, wanted = ([Type(tuple(s), UNKNOWN_TYPE) for s in g] for g in (inputs, outputs))
        return [[t.shape for t in group] for group in self._settled(known, wanted, True)]

    def _types(self, inputs: Sequence[Any], outputs: Sequence[Any]) -> Any:
        known, wanted = (
            [Type((), UNKNOWN_TYPE if dtype is None else code_of(dtype)) for dtype in group]
            for group in (inputs, outputs)
        )
        found = self._settled(known, wanted, False)
        return [[None if t.code < 0 else DTYPES[t.code] for t in group] for group in found]

    def _settled(
        self, inputs: list[Type], outputs: list[Type], of_shapes: bool
    ) -> tuple[list[Type], list[Type], list[Type]]:
        """Ask the subgraphs until nothing changes; return arguments, outputs, states."""
        asked = [
            Inference(topological(node for node, _ in graph.outputs), of_shapes, not of_shapes)
            for graph in self.subgraphs
        ]
        inputs = inputs + [UNKNOWN] * self.n_states
        before: Any = None
        while before != (inputs, outputs):
            before = list(inputs), list(outputs)
            for at in self.computing():
                for output, edge in enumerate(self.subgraphs[at].outputs):
                    asked[at].note(edge, self.within(output, outputs[output]), edge[0])
            for graph, inference in zip(self.subgraphs, asked, strict=True):
                self._ask(graph, inference, inputs)
            for at in self.computing():
                for output, edge in enumerate(self.subgraphs[at].outputs):
                    found = self.stacked(output, asked[at].of(edge), inputs)
                    outputs[output] = self._united(outputs[output], found, f"output {output}")
            for position, output in self.carried():
                what = f"the state {self._names[position]!r} before and after a turn"
                both = self._united(inputs[position], outputs[output], what)
                inputs[position] = outputs[output] = both
        for inference in asked:
            inference.raise_contradiction()
        for graph, inference in zip(self.subgraphs[: self.n_conditions], asked, strict=False):
            self._expect_one_number(inference.of(graph.outputs[0]).shape)
        n_arguments = len(inputs) - self.n_states
        return inputs[:n_arguments], outputs, inputs[n_arguments:]

    def _ask(self, graph: Subgraph, inference: Inference, inputs: list[Type]) -> None:
        """Tell a subgraph what is known of its inputs, and note what it tells of them."""
        read = [(at, node) for at, node in enumerate(graph.variables) if node is not None]
        for at, node in read:
            inference.note((node, 0), self.inside(at, inputs[at]), node)
        inference.run()
        for at, node in read:
            found = self.outside(at, inference.of((node, 0)), inputs[at])
            inputs[at] = self._united(inputs[at], found, f"input {self._names[at]!r}")

    def _expect_one_number(self, shape: tuple[int, ...]) -> None:
        if any(length > 1 for length in shape):
            raise ShapeError(
                f"{self.name}: the condition has shape {shape}, expected one number; reduce it, "
                "as by sum or max"
            )

    def _united(self, known: Type, found: Type, what: str) -> Type:
        shape = united(known.shape, found.shape)
        if shape is None:
            raise ShapeError(
                f"{self.name}: {what}: the shapes are {known.shape} and {found.shape}, they must "
                "be equal"
            )
        codes = {known.code, found.code} - {UNKNOWN_TYPE}
        if len(codes) > 1:
            names = " and ".join(DTYPES[code].__name__ for code in (known.code, found.code))
            raise DTypeError(f"{self.name}: {what}: the types are {names}, they must be equal")
        return Type(shape, max(known.code, found.code))


def operation_of(prop: ControlFlow) -> Operation:
    """Return what a node with subgraphs computes."""
    entry = Entry(prop.name, type(prop), CORE, VERSION, "std")
    bound = bind_declaration(Handle(prop.name, entry, None), prop)
    return Operation(prop.name, bound, prop.attribute_strings())
