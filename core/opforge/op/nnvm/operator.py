"""`NNVMOperator`: the declaration behind a registration in NNVM's manner.

It answers the questions of `OperatorProp` with what was registered: numbers and functions of the
attributes. The class is made when the name is registered, and filled in until its first use.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, ClassVar

from ...base.errors import DTypeError, OpforgeError, ShapeError
from ..declaring.declaration import OperatorProp
from .compute import OpContext
from .inference import elemwise_type

__all__ = ["GradientNode", "NNVMOperator", "NodeAttrs"]

#: A number, or a function of the attributes.
Count = int | Callable[["NodeAttrs"], int]


@dataclass(slots=True)
class NodeAttrs:
    """The attributes of one call, as all functions of a registration get them.

    Parameters
    ----------
    op : str
        Name of the operator.
    dict : dict of str to str
        What the caller gave, as text.
    parsed : object
        What the attribute parser made of it; without a parser an object that has each typed
        attribute under its name.
    """

    op: str
    dict: "dict[str, str]" = field(default_factory=dict)
    parsed: Any = None


@dataclass(frozen=True, slots=True)
class GradientNode:
    """The call whose gradient is asked for.

    Parameters
    ----------
    F : module
        `nd` or `sym`.
    attrs : NodeAttrs
    inputs, outputs : list
        Its entries, arrays or symbols.
    """

    F: Any
    attrs: NodeAttrs
    inputs: Sequence[Any]
    outputs: Sequence[Any]


class NNVMOperator(OperatorProp):
    """Base of the declarations that registrations make."""

    num_inputs: ClassVar[Count] = 1
    num_outputs: ClassVar[Count] = 1
    attr_parser: ClassVar[Any] = None
    #: Whether a call was made; what the operator is may not change any more.
    used: ClassVar[bool] = False
    #: Whether outputs are like the inputs of the forward operator, having no inference of its own.
    copies_shapes: ClassVar[bool] = False

    def __init__(self, **attributes: Any) -> None:
        given = tuple(attributes)
        super().__init__(**attributes)
        type(self).used = True
        texts = {key: self.attributes[key].text(getattr(self, key)) for key in given}
        self.node_attrs = NodeAttrs(self.name, texts)
        self._parse()
        gradient = self._get("FGradient")
        everything = ("inputs", "outputs")
        self.saves = () if gradient is None else getattr(gradient, "saves", everything)

    def _parse(self) -> None:
        """Set ``attrs.parsed``: the attribute parser returns it, or sets it itself."""
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
        # From the class: an attribute of the calls may have the same name.
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
        """Return the names of the inputs: ``FListInputNames``, else the declared arguments."""
        if self.variadic is not None:
            return super().list_arguments()
        return self._names("FListInputNames", self._count("num_inputs"), self.arguments)

    def list_outputs(self) -> list[str]:
        """Return the names of the outputs: ``FListOutputNames``, else ``output0`` and so on."""
        count = self._count("num_outputs")
        default = ["output"] if count == 1 else [f"output{i}" for i in range(count)]
        return self._names("FListOutputNames", count, default)

    @property
    def num_visible_outputs(self) -> int:
        """Number of outputs that the caller sees: ``FNumVisibleOutputs``, else all."""
        function = self._get("FNumVisibleOutputs")
        return self._count("num_outputs") if function is None else int(function(self.node_attrs))

    @property
    def inplace_pairs(self) -> list[tuple[int, int]]:
        """Which input may share memory with which output: ``FInplaceOption``."""
        option = self._get("FInplaceOption") or ()
        return list(option(self.node_attrs) if callable(option) else option)

    def infer_shape(self, in_shape: Sequence[Sequence[int]]) -> tuple[Any, Any, Any]:
        """Ask ``FInferShape``; unknown shapes are ()."""
        shapes: list[Any] = [tuple(shape) for shape in in_shape]
        if self.copies_shapes:
            return shapes, self._copied(shapes), []
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
        """Ask ``FInferShape`` what known outputs tell of the inputs."""
        return self._inputs_told_by(self._get("FInferShape"), in_shapes, out_shapes)

    def infer_input_types(self, in_types: Sequence[Any], out_types: Sequence[Any]) -> list[Any]:
        """Ask ``FInferType`` what known outputs tell of the inputs."""
        alike = elemwise_type(len(in_types), len(out_types))
        return self._inputs_told_by(self._get("FInferType") or alike, in_types, out_types)

    def _inputs_told_by(
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
            # It counts on inputs that are not known yet; it is asked again when they are, and what
            # it raises then is shown.
            return list(inputs)
        return found

    def infer_type(self, in_type: Sequence[Any]) -> tuple[Any, Any, Any]:
        """Ask ``FInferType``; without one all arrays have the same type."""
        types = list(in_type)
        if self.copies_shapes:
            return types, self._copied(types), []
        outputs: list[Any] = [None] * self._count("num_outputs")
        function = self._get("FInferType") or elemwise_type(len(types), len(outputs))
        function(self.node_attrs, types, outputs)
        return types, outputs, []

    def _copied(self, values: Sequence[Any]) -> list[Any]:
        """Return for each output what the forward operator's input has."""
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
                "make_zero_grad_nodes where its gradient is zero"
            )
        node = GradientNode(F, self.node_attrs, in_data or (), out_data or ())
        return list(function(node, list(out_grad)))
