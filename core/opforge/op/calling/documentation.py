"""NumPy-style documentation of an operator's function, built from its declaration."""

import inspect
import re
from typing import Any

from .deprecation import deprecation_text

__all__ = ["function_doc", "split_sections", "state_text"]

_SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}\s*$", re.MULTILINE)
#: Sections of a class docstring that are replaced by generated ones.
_REPLACED = {"Parameters", "Attributes", "Returns"}


def function_doc(entry: Any) -> str:
    """Return the docstring of ``nd.<name>``.

    It consists of the class's own text, Parameters and Returns generated from arguments, auxiliary
    states, attributes and outputs, and the other sections of the class docstring, such as Examples.
    """
    prop_class = entry.prop_class
    text, sections = split_sections(inspect.cleandoc(prop_class.__dict__.get("__doc__") or ""))
    blocks = [text or f"Operator {entry.name}."]
    if prop_class.deprecated_since:
        since = deprecation_text(prop_class.deprecated_since, prop_class.replacement)
        blocks.append(f".. deprecated:: {since}")
    blocks += [_parameters(prop_class), _returns(prop_class)]
    blocks += [body for title, body in sections if title not in _REPLACED]
    blocks.append(f"Provided by: {entry.provider_text or 'this program'}.")
    return "\n\n".join(blocks) + "\n"


def split_sections(doc: str) -> tuple[str, list[tuple[str, str]]]:
    r"""Split a docstring into its introduction and (title, section) pairs.

    Examples
    --------
    >>> split_sections("Do it.\n\nNotes\n-----\nWell.")
    ('Do it.', [('Notes', 'Notes\n-----\nWell.')])
    """
    marks = list(_SECTION.finditer(doc))
    if not marks:
        return doc.strip(), []
    ends = [mark.start() for mark in marks[1:]] + [len(doc)]
    sections = [
        (m.group(1).strip(), doc[m.start() : end].strip())
        for m, end in zip(marks, ends, strict=True)
    ]
    return doc[: marks[0].start()].strip(), sections


def _parameters(prop_class: Any) -> str:
    kind = "NDArray" if prop_class.variadic is None else "NDArray[]"
    lines = ["Parameters", "----------"]
    for name in prop_class.arguments:
        lines += _item(name, kind, prop_class.argument_docs.get(name, ""))
    for name in prop_class.auxiliary_states:
        lines += _item(name, "NDArray", state_text(prop_class.argument_docs.get(name, "")))
    for name, attribute in prop_class.attributes.items():
        lines += _item(name, attribute.describe, attribute.doc)
    lines += _item("out", "NDArray, optional", "The output array to hold the result.")
    return "\n".join(lines)


def state_text(doc: str) -> str:
    """Return the description of an input that is an auxiliary state.

    Examples
    --------
    >>> state_text("shape (channels,)")
    'auxiliary state, shape (channels,)'
    """
    return f"auxiliary state, {doc}" if doc else "auxiliary state"


def _returns(prop_class: Any) -> str:
    lines = ["Returns", "-------"]
    if len(prop_class.outputs) == 1:
        return "\n".join([*lines, *_item(prop_class.outputs[0], "NDArray", "")])
    text = f"Arrays {', '.join(prop_class.outputs)}."
    return "\n".join([*lines, *_item("outputs", "list of NDArray", text)])


def _item(name: str, kind: str, doc: str) -> list[str]:
    return [f"{name} : {kind}", f"    {doc}"] if doc else [f"{name} : {kind}"]
