"""Typed attributes of a declaration, read from the `Attribute` calls in its source."""

import ast
from dataclasses import dataclass

from ..op.declaring.attribute import Attribute, DType, Floats, OptionalInts, Shape
from .literals import COMPUTED, read_literal

__all__ = ["ReadAttribute", "read_attribute"]

_TYPES: dict[str, type] = {
    t.__name__: t for t in (int, float, bool, str, Shape, Floats, OptionalInts, DType)
}


@dataclass(frozen=True)
class ReadAttribute:
    """Attribute as read from source text.

    Parameters
    ----------
    text : str
        Description of type and default.
    doc : str
    attribute : Attribute or None
        The attribute itself, if everything could be read.
    """

    text: str
    doc: str = ""
    attribute: Attribute | None = None


def read_attribute(name: str, call: ast.Call) -> ReadAttribute:
    """Return the attribute that an `Attribute` call in a class body declares.

    Parameters
    ----------
    name : str
        Name that it is assigned to.
    call : ast.Call
    """
    words = {k.arg: read_literal(k.value) for k in call.keywords if k.arg and k.arg != "type"}
    doc = words.get("doc", "")
    doc = doc if isinstance(doc, str) else ""
    kinds = [*call.args[:1], *(k.value for k in call.keywords if k.arg == "type")]
    kind = getattr(kinds[0], "id", "") if kinds else ""
    if len(call.args) > 1:
        words["default"] = read_literal(call.args[1])
    if kind not in _TYPES or COMPUTED in words.values():
        return ReadAttribute(f"{kind or 'computed'}, see the source", doc)
    try:
        attribute = Attribute(_TYPES[kind], **words)
    except TypeError as error:
        return ReadAttribute(f"{kind}, not valid: {error}", doc)
    attribute.name = name
    return ReadAttribute(attribute.describe, doc, attribute)
