"""`NNVMOperator`: the declaration behind an NNVM-style registration.

It implements `OperatorProp` by the registered numbers and functions of the attributes. The class is
created when the name is registered, and may be extended until its first use.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, ClassVar

from opforge.base.errors import DTypeError, OpforgeError, ShapeError
from opforge.op.declaring.declaration import OperatorProp

from .compute import OpContext
from .inference import elemwise_type

__all__ = ["GradientNode", "NNVMOperator", "NodeAttrs"]

#: Number, or function of the attributes.
Count = int | Callable[["NodeAttrs"], int]


@dataclass(slots=True)
class NodeAttrs:
    """Attributes of a call, as passed to all functions of a registration.

    Parameters
    ----------
    op : str
        Name of the operator.
    dict : dict of str to str
        Arguments of the caller, as text.
    parsed : object
        Result of the attribute parser; without a parser, an object with the typed attributes.
    """

    op: str
    dict: "dict[str, str]" = field(default_factory=dict)
    parsed: Any = None


@dataclass(frozen=True, slots=True)
class GradientNode:
    """Call whose gradient is computed.

    Parameters
    ----------
    F : module
        `nd` or `sym`.
    attrs : NodeAttrs
    inputs, outputs : list
        Arrays or symbols.
    """

    F: Any
    attrs: NodeAttrs
    inputs: Sequence[Any]
    outputs: Sequence[Any]


class NNVMOperator(OperatorProp):
    """Base class of the declarations that registrations create."""

    num_inputs: ClassVar[Count] = 1
    num_outputs: ClassVar[Count] = 1
    attr_parser: ClassVar[Any] = None
    #: Whether the operator was called; its definition can no longer change.
    used: ClassVar[bool] = False
    #: Whether outputs have shapes and types of the forward operator's inputs, without inference.
    copies_shapes: ClassVar[bool] = False

    def __init__(self, **attributes: Any) -> None:
        given = tuple(attributes)
        super().__init__(**attributes)
        type(self).used = True
        texts = {key: self.attributes[key].text(getattr(self, key)) for key in given}
        self.node_attrs = NodeAttrs(self.name, texts)
        self._parse()
        gradient = self._get("FGradient")
        default = ("inputs", "outputs")
        self.saves = () if gradient is None else getattr(gradient, "saves", default)

    def _parse(self) -> None:
        """Set ``attrs.parsed``, which the attribute parser returns or sets itself."""
        attrs = self.node_attrs
        parser = type(self).attr_parser
        if parser is None:
            attrs.parsed = SimpleNamespace(**{key: getattr(self, key) for key in self.attributes})
        elif (answer := parser(attrs)) is not None:
            attrs.parsed = answer

    @classmethod
    def _get(cls, key: str) -> Any:
        return cls.named_attribute(key)

    def _count(self, which: str) -> int:
        # Read from the class: an operator attribute may have the same name.
        count = getattr(type(self), which)
        return int(count(self.node_attrs)) if callable(count) else int(count)

    def _names(self, key: str, count: int, default: Sequence[str]) -> list[str]:
        function = self._get(key)
        names = list(function(self.node_attrs) if function is not None else default[:count])
        if len(names) != count:
            raise OpforgeError(
                f"operator '{self.name}' has {count} "
                f"{'inputs' if key == 'FListInputNames' else 'outputs'}, but names for "
                f"{len(names)}: {names}; register {key}"
            )
        return names

    def list_arguments(self) -> list[str]:
        """Return the names of the inputs: ``FListInputNames`` or the declared arguments."""
        if self.variadic is not None:
            return super().list_arguments()
        return self._names("FListInputNames", self._count("num_inputs"), self.arguments)

    def list_outputs(self) -> list[str]:
        """Return the names of the outputs: ``FListOutputNames`` or ``output0``, ``output1``, ..."""
        count = self._count("num_outputs")
        default = ["output"] if count == 1 else [f"output{i}" for i in range(count)]
        return self._names("FListOutputNames", count, default)

    @property
    def num_visible_outputs(self) -> int:
        """Number of outputs that the caller sees: ``FNumVisibleOutputs``, by default all."""
        function = self._get("FNumVisibleOutputs")
        return self._count("num_outputs") if function is None else int(function(self.node_attrs))

    @property
    def inplace_pairs(self) -> list[tuple[int, int]]:
        """Pairs of input and output that may share memory: ``FInplaceOption``."""
        option = self._get("FInplaceOption") or ()
        return list(option(self.node_attrs) if callable(option) else option)

    def infer_shape(self, in_shape: Sequence[Sequence[int]]) -> tuple[Any, Any, Any]:
        """Call ``FInferShape``; unknown shapes are ()."""
        shapes: list[Any] = [tuple(shape) for shape in in_shape]
        if self.copies_shapes:
            return shapes, self._input_values(shapes), []
        function = self._get("FInferShape")
        if function is None:
            raise OpforgeError(
                f"operator '{self.name}' has no FInferShape; register one, for instance "
                f'set_attr("FInferShape", elemwise_shape({len(shapes)}, 1))'
            )
        outputs: list[Any] = [()] * self._count("num_outputs")
        function(self.node_attrs, shapes, outputs)
        return shapes, outputs, []

    def infer_inputs(self, in_shapes: Sequence[Any], out_shapes: Sequence[Any]) -> list[Any]:
        """Infer shapes of inputs from those of the outputs by ``FInferShape``."""
        return self._inferred_inputs(self._get("FInferShape"), in_shapes, out_shapes)

    def infer_input_types(self, in_types: Sequence[Any], out_types: Sequence[Any]) -> list[Any]:
        """Infer types of inputs from those of the outputs by ``FInferType``."""
        default = elemwise_type(len(in_types), len(out_types))
        return self._inferred_inputs(self._get("FInferType") or default, in_types, out_types)

    def _inferred_inputs(
        self, function: Any, inputs: Sequence[Any], outputs: Sequence[Any]
    ) -> list[Any]:
        if function is None or self.copies_shapes:
            return list(inputs)
        found = list(inputs)
        try:
            function(self.node_attrs, found, list(outputs))
        except (ShapeError, DTypeError, MemoryError):
            raise
        except Exception:
            # The function may rely on inputs that are not known yet; it is called again when they
            # are, and that call reports errors.
            return list(inputs)
        return found

    def infer_type(self, in_type: Sequence[Any]) -> tuple[Any, Any, Any]:
        """Call ``FInferType``; without one, all arrays have the same type."""
        types = list(in_type)
        if self.copies_shapes:
            return types, self._input_values(types), []
        outputs: list[Any] = [None] * self._count("num_outputs")
        function = self._get("FInferType") or elemwise_type(len(types), len(outputs))
        function(self.node_attrs, types, outputs)
        return types, outputs, []

    def _input_values(self, values: Sequence[Any]) -> list[Any]:
        """Return for each output the value of the corresponding input of the forward operator."""
        positions: tuple[int, ...] = getattr(self, "like", ())
        if len(positions) != self._count("num_outputs"):
            raise OpforgeError(
                f"operator '{self.name}' is part of a gradient (TIsBackward) and copies the shapes "
                f"of {len(positions)} inputs for {self._count('num_outputs')} outputs; call it "
                "through make_grad_node, or register FInferShape"
            )
        return [values[position] for position in positions]

    def compute(
        self, in_data: Sequence[Any], out_data: Sequence[Any], req: Sequence[str], is_train: int
    ) -> None:
        """Call ``FCompute<cpu>``."""
        function = self._get("FCompute<cpu>")
        if function is None:
            raise OpforgeError(f"operator '{self.name}' has no FCompute<cpu>, so it cannot run")
        inputs = in_data[: self._count("num_inputs")] if self.copies_shapes else in_data
        context = OpContext(bool(is_train), out_data[0].context)
        function(self.node_attrs, context, list(inputs), list(req), list(out_data))

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        """Call ``FGradient``."""
        function = self._get("FGradient")
        if function is None:
            raise OpforgeError(
                f"operator '{self.name}' is not differentiable: it has no FGradient. Register one, "
                "or make_zero_grad_nodes if its gradient is zero"
            )
        node = GradientNode(F, self.node_attrs, in_data or (), out_data or ())
        return list(function(node, list(out_grad)))
