"""The operator that calls a native operator's C function `backward`.

It is no part of the registry: the declaration that it belongs to calls it, so that two providers of
one operator never share a gradient. Graphs hold it as any other operator.
"""

from typing import Any, ClassVar

from ...base.errors import SecondGradientError, ShapeError
from ...native.abi.computations import ForeignBackward
from ...native.dispatch.plans import Handle
from ..binding import general_handle
from ..declaration import OperatorProp
from ..entry import Entry
from ..inference import infer
from ..registry import OPERATORS

__all__ = ["NativeBackward", "backward_handle", "entry_of", "make_backward"]


class NativeBackward(OperatorProp):
    """Base of these operators: gradients of the outputs, and what was kept, to those of inputs."""

    _forward_class: ClassVar[Any] = None
    _reads_inputs: ClassVar[bool] = False
    _reads_outputs: ClassVar[bool] = False
    #: What errors call it: a stage of the operator that it belongs to.
    _stage: ClassVar[str] = "backward"
    #: Made when the gradient is first taken.
    _handle: ClassVar[Handle | None] = None

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self._forward = self._forward_class(**attributes)
        self.compute = ForeignBackward(
            self._forward._instance,
            len(self._forward.list_arguments()),
            len(self._forward.list_outputs()),
            self.checked_types,
            self._reads_inputs,
            self._reads_outputs,
        )

    def list_arguments(self) -> list[str]:
        """Return the names of the gradients from above and of what is read besides."""
        return _arguments(type(self), self._forward.list_arguments(), self._forward.list_outputs())

    def list_outputs(self) -> list[str]:
        """Return a name for the gradient of each input."""
        return [f"grad_{name}" for name in self._forward.list_arguments()]

    def checked_types(self, shapes: Any, codes: Any) -> tuple[Any, Any]:
        """Return shapes and type codes of the gradients, as a call is checked against them."""
        inferred = infer(self, self.name, shapes, codes)
        return inferred.out_shapes, inferred.out_codes

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the inputs' shapes for their gradients."""
        n_out, n_in = len(self._forward.list_outputs()), len(self._forward.list_arguments())
        if not self._reads_inputs:
            return in_shape, [in_shape[0]] * n_in, []
        inputs = in_shape[n_out : n_out + n_in]
        outputs = self._forward.infer_shape([list(shape) for shape in inputs])[1]
        for position, (head, output) in enumerate(zip(in_shape, outputs, strict=False)):
            if output and head and list(head) != list(output):
                raise ShapeError(
                    f"the gradient of output {position} has shape {tuple(head)}, the output "
                    f"{tuple(output)}"
                )
        return in_shape, inputs, []

    def infer_type(self, in_type: Any) -> Any:
        """Return the inputs' types for their gradients."""
        n_out, n_in = len(self._forward.list_outputs()), len(self._forward.list_arguments())
        inputs = in_type[n_out : n_out + n_in] if self._reads_inputs else [in_type[0]] * n_in
        return list(in_type), list(inputs), []

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> Any:
        """Refuse gradients of gradients: the C function is no composition of operators."""
        raise SecondGradientError(
            f"operator {self._forward_class.name!r} has its gradient in C, so it cannot be "
            "differentiated again; give it a gradient() made of operators"
        )


def make_backward(forward: Any) -> type[NativeBackward]:
    """Return the declaration of the backward operator of a native operator's class.

    Raises
    ------
    TypeError
        Nothing that is kept tells the inputs' shapes.
    """
    saves = set(forward.saves)
    _reads_inputs = not saves.isdisjoint({"inputs", *forward.arguments})
    _reads_outputs = not saves.isdisjoint({"outputs", *forward.outputs})
    if not _reads_inputs and not forward.named_attribute("FElementwiseShape", False):
        raise TypeError(
            f"operator declaration {forward.__qualname__}: backward needs the inputs, for their "
            "shapes; add 'inputs' to saves, or, if all arrays have one shape, say attrs = "
            "{'FElementwiseShape': True}"
        )
    body = {
        "__doc__": f"Gradient of {forward.name}.",
        "__module__": forward.__module__,
        "name": f"_backward_{forward.name}",
        "variadic": forward.variadic,
        "_forward_class": forward,
        "_reads_inputs": _reads_inputs,
        "_reads_outputs": _reads_outputs,
        **forward.attributes,
    }
    made: Any = type(f"Backward{forward.__name__}", (NativeBackward,), body)
    made.arguments = tuple(_arguments(made, forward.arguments, forward.outputs))
    made.outputs = tuple(f"grad_{name}" for name in forward.arguments)
    result: type[NativeBackward] = made
    return result


def backward_handle(cls: type[NativeBackward], forward: type[OperatorProp]) -> Handle:
    """Return the handle that calls a backward operator, in the name of its operator's provider."""
    if cls._handle is None:
        own = entry_of(forward)
        cls._handle = general_handle(Entry(own.name, cls, own.provider, own.version, own.kind))
    return cls._handle


def entry_of(cls: type[OperatorProp]) -> Entry:
    """Return the registry's entry of a declaration, which says who provides it."""
    for entry in OPERATORS.providers(cls.name).values():
        if entry.prop_class is cls:
            return entry
    return Entry(cls.name, cls)


def _arguments(cls: type[NativeBackward], inputs: Any, outputs: Any) -> list[str]:
    names = [f"out_grad_{name}" for name in outputs]
    if cls._reads_inputs:
        names += [f"in_{name}" for name in inputs]
    if cls._reads_outputs:
        names += [f"out_{name}" for name in outputs]
    return names
