"""Typed attributes of a declaration that was not imported: what their calls say."""

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
    """One attribute as its text says.

    Parameters
    ----------
    text : str
        Type and default in words.
    doc : str
    whole : Attribute or None
        Itself, where everything could be read.
    """

    text: str
    doc: str = ""
    whole: Attribute | None = None


def read_attribute(name: str, call: ast.Call) -> ReadAttribute:
    """Return what a call of `Attribute` in the body of a class says.

    Parameters
    ----------
    name : str
        What it is assigned to.
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
