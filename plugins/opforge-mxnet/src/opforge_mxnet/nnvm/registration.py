"""`Op`, the builder of a registration, and the table of registrations.

`register_op` is for programs, `declare_op` for plugins, whose hook returns the declaration.
Existing operators can be given additional attributes under any key.
"""

from collections.abc import Callable, Mapping
from typing import Any

from opforge.base.errors import OperatorNotFoundError, OpforgeError
from opforge.op.declaring.attribute import Attribute, Shape
from opforge.op.declaring.consistency import check_declaration
from opforge.op.declaring.declaration import PROTOCOL, OperatorProp
from opforge.op.declaring.named_attributes import check_kinds
from opforge.op.registry.registry import (
    OPERATORS,
    custom_names,
    lookup,
    lookup_custom,
    register_custom,
)

from .inference import ElemwiseShape
from .operator import Count, NNVMOperator, NodeAttrs
from .parameter import attribute_from_text

__all__ = ["Op", "declare_op", "get_attr", "register_op"]

#: Attributes that define the operator; an `OperatorProp` defines them in its body.
_STRUCTURE = frozenset(
    {
        "FCompute<cpu>",
        "FGradient",
        "FInferShape",
        "FInferType",
        "FInplaceOption",
        "FListInputNames",
        "FListOutputNames",
        "FNumVisibleOutputs",
        "TIsBackward",
        "key_var_num_args",
    }
)
_DEFAULT_LEVEL = 10


class Op:
    """Registration of an operator; each method returns the registration itself.

    Created by `register_op` and `declare_op`.

    Attributes
    ----------
    declaration : type
        `OperatorProp` of the registration; plugins return it from their hook.
    """

    def __init__(self, declaration: type[OperatorProp], in_program: bool = False) -> None:
        self.declaration = declaration
        self._in_program = in_program
        self._levels: dict[str, int] = {}
        self._inputs: dict[str, str] = {}
        self._fields: dict[str, Attribute] = {}

    @property
    def name(self) -> str:
        """Registered name."""
        return self.declaration.name

    def describe(self, text: str) -> "Op":
        """Set the documentation: a summary line, then further text."""
        self._own().__doc__ = text
        return self

    def set_num_inputs(self, count: Count) -> "Op":
        """Set the number of inputs, or a function of the attributes that returns it."""
        self._own().num_inputs = _count(count)
        return self._changed()

    def set_num_outputs(self, count: Count) -> "Op":
        """Set the number of outputs, or a function of the attributes that returns it."""
        self._own().num_outputs = _count(count)
        return self._changed()

    def set_attr_parser(self, parser: Callable[[NodeAttrs], Any]) -> "Op":
        """Set the function that returns or sets ``attrs.parsed`` from ``attrs.dict``."""
        self._own().attr_parser = staticmethod(parser)
        return self

    def add_argument(self, name: str, type: "str | Attribute", description: str = "") -> "Op":
        """Describe an input or an attribute.

        Parameters
        ----------
        name : str
        type : str or Attribute
            ``"NDArray"`` (or ``"NDArray-or-Symbol"``) for an input, followed by ``[]`` if their
            number varies; for an attribute MXNet's description, such as ``"float, required"``, or
            an `Attribute`.
        description : str
        """
        cls = self._own()
        if isinstance(type, str) and type.startswith(("NDArray", "Symbol")):
            self._inputs[name] = description
            cls.argument_docs = {**cls.argument_docs, name: description}
        else:
            field = attribute_from_text(type, description) if isinstance(type, str) else type
            self._fields[name] = field
        return self._changed()

    def add_arguments(self, fields: Mapping[str, Attribute]) -> "Op":
        """Describe several attributes, for instance the ``fields`` of a `Parameter`."""
        self._own()
        self._fields.update(fields)
        return self._changed()

    def add_alias(self, name: str) -> "Op":
        """Add another name of the operator."""
        cls = self._own()
        cls.aliases = (*cls.aliases, name)
        if self._in_program:
            register_custom(name, cls)
        return self

    def set_attr(self, key: str, value: Any, plevel: int = _DEFAULT_LEVEL) -> "Op":
        """Set an attribute under an arbitrary key, for example for graph passes.

        Parameters
        ----------
        key : str
        value : object
            Must be of the same kind as other operators' values under this key.
        plevel : int, default 10
            Priority; the value with the highest level is kept.

        Raises
        ------
        OpforgeError
            The key is set with the same level, or the kind differs.
        """
        if key in _STRUCTURE:
            self._own()
        cls = self.declaration
        known = self._levels.get(key, _DEFAULT_LEVEL if key in vars(cls).get("attrs", {}) else None)
        if known == plevel:
            raise OpforgeError(
                f"operator '{self.name}': attribute {key!r} is already set with plevel={plevel}; "
                f"pass a higher plevel to replace it"
            )
        check_kinds(self.name, {key: value})
        if known is None or plevel > known:
            cls.attrs = {**vars(cls).get("attrs", {}), key: value}
            self._levels[key] = plevel
        return self._changed() if key in _STRUCTURE else self

    def get_attr(self, key: str, default: Any = None) -> Any:
        """Return the value under `key`."""
        return self.declaration.named_attribute(key, default)

    def __repr__(self) -> str:
        return f"<Op {self.name}>"

    def _own(self) -> type[NNVMOperator]:
        """Return the declaration, which must belong to this registration and not be in use."""
        cls = self.declaration
        if not issubclass(cls, NNVMOperator):
            raise OpforgeError(
                f"operator {self.name!r} exists already ({cls.__module__}.{cls.__qualname__}): "
                "attributes can be added, but its definition cannot change; choose another name"
            )
        if cls.used:
            raise OpforgeError(
                f"operator {self.name!r} has already been called; complete its registration first"
            )
        return cls

    def _changed(self) -> "Op":
        """Update the fields that generated functions read, and check the declaration."""
        cls = self._own()
        infer = self.get_attr("FInferShape")
        if infer is not None:
            cls.attrs = {**cls.attrs, "FElementwiseShape": isinstance(infer, ElemwiseShape)}
        cls.copies_shapes = bool(self.get_attr("TIsBackward")) and infer is None
        variadic = self.get_attr("key_var_num_args")
        fields = dict(self._fields)
        if cls.copies_shapes:
            variadic = "num_args"
            fields.setdefault("num_args", Attribute(int, default=1, doc="Number of inputs."))
            fields["like"] = Attribute(Shape, default=(), doc="Inputs whose shapes outputs have.")
        for key, attribute in fields.items():
            attribute.__set_name__(cls, key)
        cls.attributes = fields
        cls.arguments = self._argument_names()
        cls.outputs = _output_names(cls)
        # The key may name an attribute that is described later.
        cls.variadic = variadic if variadic in cls.attributes else None
        check_declaration(cls, PROTOCOL)
        return self

    def _argument_names(self) -> tuple[str, ...]:
        if self._inputs:
            return tuple(self._inputs)
        listing = self.get_attr("FListInputNames")
        count = getattr(self.declaration, "num_inputs", 1)
        if listing is not None:
            return tuple(listing(NodeAttrs(self.name)))
        if not isinstance(count, int) or count == 1:
            return ("data",)
        return tuple(f"arg{i}" for i in range(count))


def register_op(name: str) -> Op:
    """Start the registration of an operator, or return the existing one.

    The operator is callable as ``nd.<name>``, ``sym.<name>`` and ``nd.Custom(op_type=name)``.

    Parameters
    ----------
    name : str

    Examples
    --------
    >>> import numpy as np
    >>> from opforge import nd
    >>> from opforge.op.nnvm import elemwise_shape, unary_compute
    >>> op = (
    ...     register_op("halved")
    ...     .describe("Half of the source.")
    ...     .set_num_inputs(1)
    ...     .set_num_outputs(1)
    ...     .set_attr("FInferShape", elemwise_shape(1, 1))
    ...     .set_attr("FCompute<cpu>", unary_compute(lambda x: x / 2))
    ...     .add_argument("data", "NDArray", "Source input")
    ... )
    >>> nd.halved(nd.array([4.0, 6.0])).asnumpy().tolist()
    [2.0, 3.0]
    """
    try:
        known: Any = lookup(name).prop_class
    except OperatorNotFoundError:
        op = declare_op(name)
        op._in_program = True
        register_custom(name, op.declaration)
        return op
    if known not in _ops:
        _ops[known] = Op(known)
    return _ops[known]


def declare_op(name: str) -> Op:
    """Start the registration of a plugin's operator; the hook returns its ``declaration``.

    Parameters
    ----------
    name : str
    """
    if not isinstance(name, str) or not name:
        raise OpforgeError(f"the name of an operator must be a non-empty str, got {name!r}")
    title = "".join(part.capitalize() for part in name.split("_"))
    cls = type(title, (NNVMOperator,), {"name": name, "__module__": __name__, "__doc__": ""})
    op = _ops[cls] = Op(cls)
    return op


def get_attr(key: str) -> dict[str, Any]:
    """Return name -> value under `key` for each registered operator that has one.

    Operators of plugins that are not loaded are not included.

    Examples
    --------
    >>> from opforge import nd
    >>> get_attr("FInplaceOption")["exp"]
    [(0, 0)]
    """
    classes = {entry.name: entry.prop_class for entry in OPERATORS.entries()}
    classes.update((name, lookup_custom(name).prop_class) for name in custom_names())
    found = {
        name: cls.named_attribute(key)
        for name, cls in classes.items()
        if issubclass(cls, OperatorProp)
    }
    return {name: value for name, value in found.items() if value is not None}


_ops: dict[type, Op] = {}


def _count(count: Count) -> Any:
    """Return the value to store on the class; a function must not become a method."""
    return staticmethod(count) if callable(count) else int(count)


def _output_names(cls: type[NNVMOperator]) -> tuple[str, ...]:
    listing = cls.named_attribute("FListOutputNames")
    count = cls.num_outputs
    if listing is not None:
        return tuple(listing(NodeAttrs(cls.name)))
    if not isinstance(count, int) or count == 1:
        return ("output",)
    return tuple(f"output{i}" for i in range(count))
