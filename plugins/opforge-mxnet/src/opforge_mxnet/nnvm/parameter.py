"""Typed parameters of registered operators, from a class of fields or MXNet's descriptions."""

import ast
from collections.abc import Callable
from typing import Any

from opforge.op.declaring.attribute import (
    REQUIRED,
    UNSET,
    Attribute,
    Floats,
    Shape,
    unknown_attribute,
)
from opforge.op.declaring.consistency import collect_attributes

from .operator import NodeAttrs

__all__ = ["Parameter", "attribute_from_text", "param_parser"]


class Parameter:
    """Base class of parameter structures, with typed fields as in an `OperatorProp`.

    Parameters
    ----------
    **values
        Values of the fields, typed or as strings.

    Raises
    ------
    AttributeValueError
        A value is unknown, missing, of another type or out of range.

    Examples
    --------
    >>> class ActivationParam(Parameter):
    ...     act_type = Attribute(str, choices=("relu", "sigmoid"), doc="The function.")
    ...     slope = Attribute(float, default=0.25, ge=0, doc="Slope below zero.")
    >>> ActivationParam(act_type="relu", slope="0.5").slope
    0.5
    """

    fields: dict[str, Attribute] = {}

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls.fields = collect_attributes(cls)

    def __init__(self, **values: Any) -> None:
        name = type(self).__name__
        for key, attribute in self.fields.items():
            setattr(self, key, attribute.parse(values.pop(key, UNSET), name))
        if values:
            raise unknown_attribute(name, values, self.fields)

    def __repr__(self) -> str:
        values = ", ".join(f"{key}={getattr(self, key)!r}" for key in self.fields)
        return f"{type(self).__name__}({values})"


def param_parser(parameter: type[Parameter]) -> Callable[[NodeAttrs], Parameter]:
    """Return the attribute parser that creates a `Parameter` from the caller's arguments."""

    def parse(attrs: NodeAttrs) -> Parameter:
        return parameter(**attrs.dict)

    return parse


#: First part of MXNet's description -> arguments of `Attribute`.
_TYPES: dict[str, dict[str, Any]] = {
    "boolean": {"type": bool},
    "double": {"type": float},
    "float": {"type": float},
    "int": {"type": int},
    "int (non-negative)": {"type": int, "ge": 0},
    "long": {"type": int},
    "long (non-negative)": {"type": int, "ge": 0},
    "Shape(tuple)": {"type": Shape},
    "string": {"type": str},
    "tuple of <float>": {"type": Floats},
}


def attribute_from_text(text: str, doc: str = "") -> Attribute:
    """Return the typed attribute for MXNet's description of it.

    Parameters
    ----------
    text : str
        For instance ``"float, required"``, ``"boolean, optional, default=0"`` or
        ``"{'relu', 'sigmoid'}, required"``.
    doc : str

    Raises
    ------
    TypeError
        The type is unknown, or the default is not of this type.

    Examples
    --------
    >>> attribute_from_text("int, optional, default='1'").default
    1
    """
    # Enumerations contain commas.
    begin = text.find("}") + 1 if text.startswith("{") else 0
    words, _, rest = text[begin:].partition(",")
    options = _type_options(text[:begin] + words.strip())
    if options is None:
        raise TypeError(
            f"argument type {text!r} is unknown; begin it with one of {', '.join(_TYPES)}, or "
            "{'a', 'b'} for an enumeration, or pass an Attribute"
        )
    default: Any = None if "optional" in rest else REQUIRED
    _, mark, value = rest.partition("default=")
    if mark and value.strip() != "None":
        default = value.strip().strip("'\"")
    return Attribute(options.pop("type"), default, doc=doc, **options)


def _type_options(words: str) -> dict[str, Any] | None:
    """Return the arguments of `Attribute` for the first part of a description."""
    if not words.startswith("{"):
        plain = words.removesuffix(" or None")
        found = _TYPES.get(plain)
        return None if found is None else {**found, "optional": plain != words}
    items = [item.strip() for item in words.strip("{}").split(",")]
    choices = tuple(ast.literal_eval(item) for item in items if item != "None")
    return {"type": str, "choices": choices, "optional": "None" in items}
