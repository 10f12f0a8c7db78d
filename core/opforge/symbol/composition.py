"""Calls of operators on symbols: names, missing inputs, and known shapes and types.

A call creates one node. Missing inputs become variables named after the node, such as
``fc1_weight``. If the shapes and types of the inputs are known, those of the outputs are inferred
immediately, and variables of unknown shape are completed by the first operator that determines it.
"""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from ..attribute import AttrScope, stored
from ..base.errors import AttributeValueError, OpforgeError
from ..base.node_attributes import is_free
from ..base.thread_values import assigned
from ..name import NameManager
from ..native.dispatch.plans import Handle
from ..op.declaring.attribute import UNSET, Attribute, DType, unknown_attribute
from ..op.declaring.custom import stringify
from ..op.declaring.errors import origin, wrapping
from ..op.registry.naming import NAMESPACES
from ._namespace import operators
from .inference.node_types import infer_node
from .modes import modes
from .node import Edge, Node, Operation
from .symbol import Symbol

__all__ = [
    "apply",
    "auto_variable",
    "call_operator",
    "composed_parts",
    "expand",
    "expanding",
    "input_names",
    "make_operation",
]


def expanding(predicting: bool = False) -> AbstractContextManager[object]:
    """Return a context in which composite operators are expanded and nodes get no names.

    For compiler passes: users never see their graphs.

    Parameters
    ----------
    predicting : bool, default False
        Whether the graph is used for prediction only, so that `compose_predicting` applies too.
    """
    return assigned(modes, expands=True, predicts=predicting, stands_for_arrays=True)


def make_operation(handle: Handle, values: tuple[Any, ...], name: str | None = None) -> Operation:
    """Return an operator with attribute values in the declared order."""
    bound = handle.bound(values)
    declared = handle.entry.prop_class.attributes
    given = {
        key: _text(attribute, value, getattr(bound.prop, key))
        for (key, attribute), value in zip(declared.items(), values, strict=True)
        if value is not UNSET
    }
    return Operation(name or handle.entry.prop_class.name, bound, given)


#: Types whose values are stored as their own text, which every reader of symbols understands.
_PLAIN = (bool, int, float, str, tuple, list, np.generic, type(None))


def _text(attribute: Attribute, value: Any, parsed: Any) -> str:
    """Return an attribute as the user wrote it if MXNet can read that, else the parsed value."""
    truth_for_number = isinstance(value, bool | np.bool_) and attribute.type is not bool
    if attribute.type is DType or truth_for_number or not isinstance(value, _PLAIN):
        return attribute.text(parsed)
    return stringify(value)


def call_operator(
    handle: Handle,
    inputs: Sequence[Any],
    values: tuple[Any, ...],
    name: str | None = None,
    attr: dict[str, str] | None = None,
) -> Any:
    """Call a declared operator on symbols; this implements the functions of `sym`.

    Parameters
    ----------
    handle : Handle
    inputs : sequence of Symbol or None
        In the declaration's order of arguments, then auxiliary states; None where missing.
    values : tuple
        Attribute values in declared order.
    name : str, optional
        Default: the lower-case operator name with a number.
    attr : dict of str to str, optional
        Attributes of the node.

    Returns
    -------
    Symbol
    """
    prop_class = handle.entry.prop_class
    operation = make_operation(handle, values)
    if prop_class.variadic is not None:
        given = dict(zip(input_names(operation), _all_outputs(handle, inputs), strict=False))
    else:
        named = _used_inputs(prop_class, input_names(operation), inputs)
        given = {n: _single(handle, n, x) for n, x in named if x is not None}
    return apply(operation, given, name, attr, hint=handle.entry.name)


def _without_namespace(name: str) -> str:
    """Return an operator's name without its namespace prefix, as MXNet names nodes."""
    namespace = next((prefix for prefix in NAMESPACES if name.startswith(prefix)), "")
    return name.removeprefix(namespace)


def input_names(operation: Operation) -> list[str]:
    """Return the names of an operator's inputs: arguments, then auxiliary states."""
    arguments, _, states = operation.bound.names
    return [*arguments, *states]


def _used_inputs(
    prop_class: Any, used: Sequence[str], inputs: Sequence[Any]
) -> Iterator[tuple[str, Any]]:
    """Yield the names of the inputs in use with the given inputs.

    None stands for an input that the attributes disable, unless later ones move up to its position.
    """
    names = (*prop_class.arguments, *prop_class.auxiliary_states)
    pairs = zip(names, inputs, strict=False)
    return zip(used, [x for n, x in pairs if x is not None or n in used], strict=False)


def _all_outputs(handle: Handle, inputs: Sequence[Any]) -> list[Edge]:
    """Return all outputs of all inputs; a group contributes each of its members."""
    edges: list[Edge] = []
    for position, item in enumerate(inputs):
        if not isinstance(item, Symbol):
            raise _not_a_symbol(handle, str(position), item)
        edges.extend(item.edges)
    return edges


def _single(handle: Handle, name: str, item: Any) -> Edge:
    if not isinstance(item, Symbol):
        raise _not_a_symbol(handle, name, item)
    if len(item.edges) != 1:
        raise OpforgeError(
            f"{origin(handle.entry)}: input '{name}' is a symbol of {len(item.edges)} outputs "
            f"({', '.join(item.list_outputs())}), expected one; select it by index"
        )
    return item.edges[0]


def _not_a_symbol(handle: Handle, name: str, item: Any) -> TypeError:
    return TypeError(
        f"{origin(handle.entry)}: input '{name}' must be a Symbol, got {type(item).__name__}; "
        "create one with sym.var()"
    )


def apply(
    operation: Operation,
    given: dict[str, Edge],
    name: str | None = None,
    attr: dict[str, str] | None = None,
    hint: str = "",
) -> Any:
    """Return the symbol of one call whose inputs are given by name.

    Parameters
    ----------
    operation : Operation
    given : dict of str to (Node, int)
        Missing inputs become variables.
    name, attr
        As for `call_operator`.
    hint : str
        Prefix of automatic names; a namespace such as ``_contrib_`` is removed.
    """
    if modes.expands:
        edges = expand(operation, [given[key] for key in input_names(operation)])
        return Symbol(edges[: operation.num_visible])
    if not isinstance(name, str | None):
        raise TypeError(f"{origin(operation.entry)}: name is {name!r}, expected a string")
    attrs = _node_attributes(operation, attr)
    label = NameManager.current.get(name, (_without_namespace(hint) or operation.name).lower())
    inputs = [
        given[key] if key in given else (auto_variable(label, key, operation, attrs), 0)
        for key in input_names(operation)
    ]
    node = Node(label, operation, inputs, attrs)
    infer_node(node)
    return Symbol([(node, index) for index in range(node.num_visible)])


def _node_attributes(operation: Operation, attr: dict[str, str] | None) -> dict[str, str]:
    """Return the attributes attached to a node; reject those that could be the operator's."""
    attrs = stored(AttrScope.current.get(attr))
    foreign = {key: value for key, value in attrs.items() if not is_free(key)}
    if foreign:
        entry = operation.entry
        declared = getattr(entry.prop_class, "attributes", {})
        error = unknown_attribute(entry.name, foreign, declared, input_names(operation))
        key = next(iter(foreign))
        raise AttributeValueError(
            f"{error}\nAttributes that are attached to operators begin and end with two "
            f"underscores: __{key}__. To attach one to an input of the operator, attach it to the "
            "variable that is passed as this input"
        )
    return attrs


def auto_variable(label: str, key: str, operation: Operation, attrs: dict[str, str]) -> Node:
    """Return the variable for a missing input.

    As in MXNet, it gets the attributes of the call, and those that the operator declares for it
    with ``FSetInputVarAttrOnCompose``, for example an initializer.
    """
    prop_class: Any = operation.entry.prop_class
    declared = getattr(prop_class, "named_attribute", lambda name, default: default)(
        "FSetInputVarAttrOnCompose", {}
    )
    own = declared.get(key, {})
    return Node(f"{label}_{key}", attrs={**operation.attributes, **attrs, **own})


def expand(operation: Operation, inputs: Sequence[Edge], name: str = "") -> Sequence[Edge]:
    """Return the outputs of a call, with composite operators expanded.

    The result of `compose_predicting` includes hidden outputs.

    Parameters
    ----------
    operation : Operation
    inputs : sequence of (Node, int)
        All inputs, with known types.
    name : str
        For errors.
    """
    if operation.is_composed:
        parts = composed_parts(operation, "compose", inputs)
        assert parts is not None
        return parts
    node = Node(name, operation, inputs)
    infer_node(node)
    parts = None
    if modes.predicts and operation.changes_in_prediction:
        parts = composed_parts(operation, "compose_predicting", inputs)
    if parts is None:
        return [(node, index) for index in range(operation.num_visible)]
    return parts


def composed_parts(
    operation: Operation, method: str, inputs: Sequence[Edge]
) -> Sequence[Edge] | None:
    """Return the expansion of an operator by a method of its declaration; None if it declines."""
    types = [source.types[index] for source, index in inputs]
    with wrapping(operation.entry, method, [t.shape for t in types]):
        compose = getattr(operation.prop, method)
        result = compose(operators(), *(Symbol([edge]) for edge in inputs))
    if result is None:
        return None
    parts = [result] if isinstance(result, Symbol) else result
    return [edge for part in parts for edge in part.edges]
