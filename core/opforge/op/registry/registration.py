"""MXNet's functions for custom operators: `register`, and queries of the registry."""

import inspect
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from ..declaring.declaration import OperatorProp
from .registry import custom_names, lookup_custom, names, register_custom

__all__ = [
    "OperatorArguments",
    "get_all_registered_operators",
    "get_operator_arguments",
    "register",
]

PropClass = TypeVar("PropClass", bound=type)


class OperatorArguments(NamedTuple):
    """Number, names and type descriptions of an operator's inputs and attributes."""

    narg: int
    names: list[str]
    types: list[str]


def register(reg_name: str) -> Callable[[PropClass], PropClass]:
    """Return a decorator that registers a `CustomOpProp` class for ``nd.Custom(op_type=reg_name)``.

    A later registration of the same name replaces the earlier one. A typed `OperatorProp` is also
    callable as ``nd.<reg_name>``, unless a plugin or the core has that name.

    Parameters
    ----------
    reg_name : str

    Examples
    --------
    >>> from opforge.op.declaring.custom import CustomOpProp
    >>> @register("twice")
    ... class TwiceProp(CustomOpProp):
    ...     def create_operator(self, ctx, in_shapes, in_dtypes):
    ...         return Twice()
    """

    def decorate(prop_class: PropClass) -> PropClass:
        if not isinstance(prop_class, type) or not hasattr(prop_class, "create_operator"):
            raise TypeError(
                f"register({reg_name!r}) got {prop_class!r}, expected a class derived from "
                "CustomOpProp, whose create_operator returns the object with forward and backward"
            )
        if issubclass(prop_class, OperatorProp) and not prop_class.name:
            prop_class.name = reg_name
        register_custom(reg_name, prop_class)
        return prop_class

    return decorate


def get_all_registered_operators() -> list[str]:
    """Return the names of all operators of the core, plugins and the program."""
    return sorted({*names(), *custom_names()})


def get_operator_arguments(op_name: str) -> OperatorArguments:
    """Return the inputs and attributes of an operator.

    Parameters
    ----------
    op_name : str

    Examples
    --------
    >>> from opforge.op.declaring.custom import CustomOpProp
    >>> @register("scaled")
    ... class ScaledProp(CustomOpProp):
    ...     def __init__(self, factor="2"):
    ...         super().__init__()
    >>> get_operator_arguments("scaled").names
    ['data', 'factor']
    """
    prop_class = lookup_custom(op_name).prop_class
    if issubclass(prop_class, OperatorProp):
        pairs = _declared_names(prop_class)
    else:
        pairs = _from_constructor(prop_class)
    return OperatorArguments(len(pairs), [n for n, _ in pairs], [t for _, t in pairs])


def _declared_names(prop_class: type[OperatorProp]) -> list[tuple[str, str]]:
    kind = "NDArray-or-Symbol" + ("" if prop_class.variadic is None else "[]")
    pairs = [(name, kind) for name in prop_class.arguments]
    return pairs + [(name, attr.describe) for name, attr in prop_class.attributes.items()]


def _from_constructor(prop_class: Any) -> list[tuple[str, str]]:
    """Return the arguments of an MXNet Prop: its constructor's parameters, all strings."""
    pairs = []
    needs_values = False
    for parameter in inspect.signature(prop_class).parameters.values():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        required = parameter.default is parameter.empty
        needs_values = needs_values or required
        text = "required" if required else f"optional, default={str(parameter.default)!r}"
        pairs.append((parameter.name, f"string, {text}"))
    # Inputs may depend on these values, and are known only if none is required.
    inputs = [] if needs_values else prop_class().list_arguments()
    return [(name, "NDArray-or-Symbol") for name in inputs] + pairs
