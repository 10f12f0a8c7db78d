"""`OperatorProp`: the declaration of an operator, from which all its functions are generated.

A subclass defines name, inputs, outputs and typed attributes in its body, and computes shapes and
the operator object in methods. It is a `CustomOpProp`, so code that supports MXNet's protocol
supports it. Invariant: the definition of an inconsistent class raises an error.
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from .attribute import UNSET, Attribute, unknown_attribute
from .backward_inputs import BackwardInputs
from .category import Category
from .consistency import check_declaration, collect_attributes
from .defaults import ARGUMENTS, OUTPUTS
from .element_types import ANY, OutputRule, default_types
from .named_attributes import NamedAttributes
from .rules import DeclaredRules

__all__ = ["PROTOCOL", "OperatorProp"]


class OperatorProp(DeclaredRules, NamedAttributes, BackwardInputs):
    """Base class of typed operator declarations.

    Parameters
    ----------
    **attributes
        Values of the declared attributes, typed or as strings; they become attributes of ``self``.

    Raises
    ------
    AttributeValueError
        An attribute is unknown, missing, of another type or out of range.

    Examples
    --------
    >>> class Scale(OperatorProp):
    ...     '''Multiply `data` by a number.'''
    ...
    ...     name = "scale"
    ...     factor = Attribute(float, default=2.0, doc="The number.")
    ...
    >>> Scale(factor="3").factor
    3.0
    """

    #: Registered name.
    name: ClassVar[str] = ""
    #: Additional names of the operator.
    aliases: ClassVar[Sequence[str]] = ()
    #: Version of the operator's semantics, stored in saved models. A plugin may register several
    #: under one name: ``softmax@1`` is the first, the short name is the newest.
    version: ClassVar[int] = 1
    #: Version of the distribution since which the operator is deprecated, and its replacement; each
    #: line that calls it causes one warning.
    deprecated_since: ClassVar[str] = ""
    replacement: ClassVar[str] = ""
    #: Category for drawings and lists: one of ``op.declaring.category.CATEGORIES``, for instance
    #: "activation".
    category: ClassVar[Category] = ""
    #: Names of inputs, outputs and auxiliary states; override the ``list_...`` methods if they
    #: depend on attributes.
    arguments: ClassVar[Sequence[str]] = ARGUMENTS
    outputs: ClassVar[Sequence[str]] = OUTPUTS
    auxiliary_states: ClassVar[Sequence[str]] = ()
    #: One-line description of each input.
    argument_docs: ClassVar[Mapping[str, str]] = {}
    #: Element types of the inputs and auxiliary states: names, or words for groups of types, which
    #: are "any", "floating" and "integer". Inputs of other types are rejected before inference.
    dtypes: Sequence[str] = ANY
    #: Whether the words for groups exclude types that NumPy lacks; such types must be named.
    numpy_types_only: ClassVar[bool] = False
    #: Types of inputs that accept others, as in ``{"indices": ("integer",)}``. Such an input need
    #: not have the same type as the other inputs.
    argument_dtypes: Mapping[str, Sequence[str]] = {}
    #: Types of outputs that differ from that of the inputs, as in ``{"indices": "int64"}``: the
    #: name of a type, of an input, or of an attribute, which means the common type if it is None.
    #: Of several words, as in ``("dtype", "float32")``, the first that is not None counts. A
    #: mapping depends on the type of the inputs: ``{"bool": "int64"}``.
    output_dtypes: Mapping[str, OutputRule] = {}
    #: Name of the attribute that counts the inputs, if their number is variable.
    variadic: ClassVar[str | None] = None
    #: Inputs that may be numbers, which are converted to arrays like the other inputs.
    numbers: ClassVar[Sequence[str]] = ()
    #: Whether one operator object can be reused for all calls with the same shapes.
    stateless: ClassVar[bool] = False
    #: Whether shapes of outputs depend on values of inputs, for instance the rows that a mask
    #: selects. Then `infer_shape` returns 0 for each such dimension, and `compose` always gets
    #: arrays, whose values it may read (``asnumpy()``). Graphs with such an operator run call by
    #: call.
    shapes_from_values: ClassVar[bool] = False
    #: All typed attributes in the order of definition, collected from the class body.
    attributes: ClassVar[Mapping[str, Attribute]] = {}

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls.attributes = collect_attributes(cls, _BASES)
        check_declaration(cls, PROTOCOL)

    def __init__(self, **attributes: Any) -> None:
        super().__init__(self.need_top_grad)
        table = self.attributes
        values = self.__dict__
        for key, attribute in table.items():
            values[key] = attribute.parse(attributes.pop(key, UNSET), self.name)
        if attributes:
            raise unknown_attribute(self.name, attributes, table, self.arguments)

    @classmethod
    def doc_line(cls) -> str:
        """Return the first line of the docstring."""
        text = (cls.__dict__.get("__doc__") or "").strip()
        return text.splitlines()[0].strip() if text else ""

    @property
    def num_visible_outputs(self) -> int:
        """Number of outputs that the caller sees, counted from the first; by default all.

        A declaration may set a number in its body: ``num_visible_outputs = 1`` hides a mask that
        only the gradient reads.
        """
        return len(self.list_outputs())

    def attribute_strings(self) -> dict[str, str]:
        """Return the attributes that differ from their default, as strings for saved models."""
        strings = {}
        for key, attribute in self.attributes.items():
            value = getattr(self, key)
            if value != attribute.default:
                strings[key] = attribute.text(value)
        return strings

    def list_arguments(self) -> list[str]:
        """Return the names of the inputs; ``arg0``, ``arg1``, ... if their number varies."""
        if self.variadic is None:
            return list(self.arguments)
        return [f"arg{i}" for i in range(getattr(self, self.variadic))]

    def list_outputs(self) -> list[str]:
        """Return the names of the outputs."""
        return list(self.outputs)

    def list_auxiliary_states(self) -> list[str]:
        """Return the names of the auxiliary states."""
        return list(self.auxiliary_states)

    def infer_type(self, in_type: Sequence[Any]) -> tuple[list[Any], list[Any], list[Any]]:
        """Return the types that follow from the declared ones; see `output_dtypes`.

        Parameters
        ----------
        in_type : sequence of type or None
            None if unknown.

        Raises
        ------
        DTypeError
            Inputs without types of their own in `argument_dtypes` have different types.
        """
        return default_types(self, in_type)

    def create_operator(self, ctx: Any, in_shapes: list[list[int]], in_dtypes: list[int]) -> Any:
        """Return an object with ``forward`` and ``backward``; must be overridden."""
        raise NotImplementedError(
            f"{type(self).__qualname__} declares the operator {self.name!r} but does not define "
            "create_operator(self, ctx, in_shapes, in_dtypes); return a CustomOp from it"
        )

    def __repr__(self) -> str:
        values = ", ".join(f"{key}={getattr(self, key)!r}" for key in self.attributes)
        return f"{type(self).__name__}({values})"


_BASES = frozenset(OperatorProp.__mro__)
#: Members of the protocol, which an attribute of the same name would hide.
PROTOCOL = frozenset(key for key in dir(OperatorProp) if not key.startswith("__")) | {
    "need_top_grad_"
}
