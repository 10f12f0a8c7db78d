"""Signatures of operators and layer constructors as source text."""

import ast
import inspect
import keyword
import re
from collections.abc import Mapping, Sequence
from typing import Any

from opforge.cli.reference.declarations import Layer, Operator
from opforge.op.calling.documentation import state_text
from opforge.op.declaring.attribute import Attribute, DType

__all__ = [
    "annotation_text",
    "attribute_rows",
    "constructor_text",
    "default_text",
    "input_rows",
    "layer_text",
    "operator_text",
    "split_parameters",
    "takes_keywords",
    "without_placeholders",
]

#: Names that an annotation may use in a stub without an additional import.
_KNOWN = frozenset(
    {"Any", "Callable", "Iterable", "Literal", "Mapping", "Sequence"}
    | {"bool", "dict", "float", "frozenset", "int", "list", "object", "set", "str", "tuple", "type"}
)

#: Strings (to skip their contents), brackets, and commas.
_SEPARATOR = re.compile(r"""'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|[(\[{)\]}]|, """)


def annotation_text(attribute: Attribute) -> str:
    """Return the type annotation of an attribute.

    Examples
    --------
    >>> annotation_text(Attribute(int, default=None))
    'int | None'
    """
    text = inspect.formatannotation(attribute.annotation)
    for module in ("collections.abc.", "typing."):
        text = text.replace(module, "")
    return text


def default_text(attribute: Attribute) -> str:
    """Return an attribute's default as Python source; ``...`` if it has none.

    Examples
    --------
    >>> default_text(Attribute(DType, default="float32"))
    "'float32'"
    """
    if attribute.required or attribute.annotation is Any:
        return "..."
    if attribute.type is DType and attribute.default is not None:
        return repr(attribute.text(attribute.default))
    # Infinities and NaN have no literal.
    text = repr(attribute.default)
    return text if _is_literal(text) else "..."


def input_rows(prop_class: Any) -> list[tuple[str, str]]:
    """Return name and description of each input of an operator, auxiliary states last."""
    docs = prop_class.argument_docs
    rows = [(name, docs.get(name, "")) for name in prop_class.arguments]
    return rows + [(name, state_text(docs.get(name, ""))) for name in prop_class.auxiliary_states]


def attribute_rows(prop_class: Any) -> list[tuple[str, str, str, str, str]]:
    """Return name, type, default, range and description of each attribute of an operator."""
    return [
        (
            name,
            annotation_text(attribute),
            "required" if attribute.required else default_text(attribute),
            attribute.range_text,
            attribute.doc,
        )
        for name, attribute in prop_class.attributes.items()
    ]


def takes_keywords(operator: Operator) -> bool:
    """Return whether each input and attribute can be a parameter of a Python function."""
    names = [*operator.prop_class.arguments, *operator.prop_class.auxiliary_states]
    names += operator.prop_class.attributes
    return all(name.isidentifier() and not keyword.iskeyword(name) for name in names)


def operator_text(
    operator: Operator, array: str, result: str, last: Sequence[str], first: str = ""
) -> str:
    """Return the parameters and the return type of an operator's function.

    Parameters
    ----------
    operator : Operator
    array, result : str
        Type of the inputs, and of a single output, as text.
    last : sequence of str
        Parameters after the attributes.
    first : str
        A parameter before all others.

    Returns
    -------
    str
        ``(data: NDArray, axis: int = -1, ...) -> NDArray``
    """
    lead = [first] if first else []
    returned = {1: result, None: "Any"}.get(operator.visible, f"list[{result}]")
    if not takes_keywords(operator):
        return f"({', '.join([*lead, '*args: Any', '**kwargs: Any'])}) -> {returned}"
    prop_class = operator.prop_class
    inputs = [*prop_class.arguments, *prop_class.auxiliary_states]
    if prop_class.variadic is not None:
        lead.append(f"*{inputs[0]}: {array}")
        attributes = _optional(prop_class.attributes)
    else:
        attributes = _add_inputs(lead, inputs, array, prop_class.attributes)
    return f"({', '.join([*lead, *attributes, *last])}) -> {returned}"


def _add_inputs(
    lead: list[str], inputs: Sequence[str], array: str, attributes: Mapping[str, Attribute]
) -> list[str]:
    """Append the inputs to `lead`; return the attributes.

    Attributes determine which of several inputs are optional, so only an operator with one input
    can mark it and the attributes without default as required: Python does not allow a required
    parameter after an optional one.
    """
    if len(inputs) == 1 and all(name.isidentifier() for name in inputs):
        required = [
            f"{name}: {annotation_text(attribute)}"
            for name, attribute in attributes.items()
            if attribute.required
        ]
        first_ones = list(attributes)[: len(required)]
        if all(attributes[name].required for name in first_ones):
            lead.append(f"{inputs[0]}: {array}")
            rest = {name: a for name, a in attributes.items() if not a.required}
            return [*required, *_optional(rest)]
    for position, name in enumerate(inputs):
        lead.append(f"{name}: {array} | None = None" if position else f"{name}: {array} = ...")
    return _optional(attributes)


def _optional(attributes: Mapping[str, Attribute]) -> list[str]:
    return [
        f"{name}: {annotation_text(attribute)} = {default_text(attribute)}"
        for name, attribute in attributes.items()
    ]


def constructor_text(layer: Layer) -> str:
    """Return the parameters of a layer's constructor, ``self`` included.

    Annotations that need the plugin's imports become ``Any``.
    """
    if layer.arguments is None:
        return "(self, **kwargs: Any)"
    copy = ast.parse(f"def f({ast.unparse(layer.arguments)}): ...").body[0]
    assert isinstance(copy, ast.FunctionDef)
    arguments = copy.args
    named = [*arguments.posonlyargs, *arguments.args]
    every = [*named[1:], *arguments.kwonlyargs]
    every += [a for a in (arguments.vararg, arguments.kwarg) if a is not None]
    for argument in every:
        if argument.annotation is None or not _is_understood(argument.annotation):
            argument.annotation = ast.Name("Any")
    arguments.defaults = [_literal_or_dots(node) for node in arguments.defaults]
    arguments.kw_defaults = [
        None if node is None else _literal_or_dots(node) for node in arguments.kw_defaults
    ]
    return f"({ast.unparse(arguments)})"


def layer_text(layer: Layer) -> str:
    """Return the parameters of a layer's constructor without ``self``."""
    return constructor_text(layer).replace("(self, ", "(", 1).replace("(self)", "()", 1)


def split_parameters(text: str) -> list[str]:
    """Split the text of a signature after the commas between its parameters.

    Examples
    --------
    >>> split_parameters("nd.f(x: NDArray, axes: tuple[int, int] = (0, 1)) -> NDArray")
    ['nd.f(x: NDArray,', 'axes: tuple[int, int] = (0, 1)) -> NDArray']
    """
    parts, begin, depth = [], 0, 0
    for match in _SEPARATOR.finditer(text):
        sign = match[0]
        depth += (sign in "([{") - (sign in ")]}")
        if sign == ", " and depth == 1:
            parts.append(text[begin : match.start() + 1])
            begin = match.end()
    return [*parts, text[begin:]]


def without_placeholders(signature: str) -> str:
    """Return a signature without placeholder defaults of required parameters.

    Stubs use ``...``, because Python does not allow a required parameter after an optional one.

    Examples
    --------
    >>> without_placeholders("nd.f(x: NDArray = ..., axis: int = 0) -> NDArray")
    'nd.f(x: NDArray, axis: int = 0) -> NDArray'
    """
    return " ".join(
        f"{part.removesuffix(' = ...,')}," if part.endswith(" = ...,") else part
        for part in split_parameters(signature)
    )


def _is_understood(annotation: ast.expr) -> bool:
    names = {node.id for node in ast.walk(annotation) if isinstance(node, ast.Name)}
    plain = not any(isinstance(node, ast.Attribute) for node in ast.walk(annotation))
    return plain and names <= _KNOWN


def _literal_or_dots(node: ast.expr) -> ast.expr:
    return node if _is_literal(ast.unparse(node)) else ast.Constant(...)


def _is_literal(text: str) -> bool:
    try:
        ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError):
        return False
    return True
