"""Registration and lookup of contributions, and of the custom operators of a program.

The tables of all kinds are in `table`.
"""

from dataclasses import replace
from typing import Any

from ...base.errors import PluginError
from ..declaring.declaration import OperatorProp
from .decision import Decision
from .entry import CORE, Entry
from .journal import note, temporary, transaction
from .kinds import KINDS
from .missing import not_found_error
from .table import TABLES, Registry, report

__all__ = [
    "LAYERS",
    "OPERATORS",
    "Entry",
    "Registry",
    "custom_names",
    "explain",
    "find",
    "lookup",
    "lookup_custom",
    "lookup_layer",
    "names",
    "register_contribution",
    "register_custom",
    "register_layer",
    "register_operator",
    "temporary",
    "transaction",
]

OPERATORS = TABLES["operator"]
LAYERS = TABLES["layer"]
_custom: dict[str, Entry] = {}


def register_operator(
    prop_class: type[OperatorProp], provider: str = CORE, version: str = "", kind: str = "std"
) -> Entry:
    """Register a declaration under its name and its aliases.

    Raises
    ------
    PluginError
        It is not a named `OperatorProp`, or the provider has another operator of that name.
    """
    if not (isinstance(prop_class, type) and issubclass(prop_class, OperatorProp)):
        raise PluginError(
            f"{prop_class!r} is not an operator declaration; derive it from OperatorProp"
        )
    if not prop_class.name:
        raise PluginError(f"{prop_class.__qualname__} has no name; set name = 'my_operator'")
    entry = Entry(prop_class.name, prop_class, provider, version, kind)
    with transaction():
        for name in (entry.name, *prop_class.aliases):
            OPERATORS.add(replace(entry, name=name))
    return entry


def register_layer(
    layer_class: type, provider: str = CORE, version: str = "", kind: str = "std"
) -> Entry:
    """Register a layer class under the name of the class."""
    if not isinstance(layer_class, type):
        raise PluginError(f"{layer_class!r} is not a layer class")
    entry = Entry(layer_class.__name__, layer_class, provider, version, kind)
    LAYERS.add(entry)
    return entry


def register_contribution(
    noun: str,
    name: str,
    contribution: Any,
    provider: str = CORE,
    version: str = "",
    kind: str = "std",
) -> Entry:
    """Register a contribution that is neither an operator nor a layer.

    Parameters
    ----------
    noun : str
        Kind, a key of `op.registry.kinds.KINDS`.
    name : str
    contribution : type or callable
        Object of the kind.
    provider, version, kind : str
        As for `Entry`.

    Raises
    ------
    PluginError
        It is not a contribution of this kind, or the provider has another one of this name.
    """
    problem = KINDS[noun].problem(contribution)
    if problem:
        raise PluginError(f"{name!r} is not a valid {noun}: {problem}")
    entry = Entry(name, contribution, provider, version, kind)
    TABLES[noun].add(entry)
    return entry


def register_custom(name: str, prop_class: type) -> Entry:
    """Register a Prop class for `nd.Custom`; the last one under a name is used, as in MXNet."""
    entry = Entry(name, prop_class)
    previous = _custom.get(name)
    note(lambda: _set_custom(name, previous))
    _set_custom(name, entry)
    # A typed declaration is also found as nd.<name>, unless another provider has the name.
    OPERATORS.forget_decisions()
    return entry


def lookup(name: str) -> Entry:
    """Return the operator of this name; see `Registry.lookup`.

    A typed declaration that the program registered is found if no other operator has the name.
    """
    entry = find(name)
    if entry is None:
        raise OPERATORS.not_found(name)
    return entry


def find(name: str) -> Entry | None:
    """Return the operator that `lookup` returns, or None if not found."""
    entry = OPERATORS.find(name)
    if entry is None:
        custom = _custom.get(name)
        return custom if _is_typed(custom) else None
    return entry


def explain(name: str) -> Decision:
    """Return the decision of `lookup` on a name; loads nothing."""
    decision = OPERATORS.explain(name)
    if decision.reason == "not installed" and _is_typed(_custom.get(name)):
        return Decision(decision.name, "program")
    return decision


def lookup_custom(op_type: str) -> Entry:
    """Return the operator of ``nd.Custom(op_type=...)``; the program's own take precedence."""
    entry = _custom.get(op_type)
    if entry is not None:
        return entry
    entry = OPERATORS.find(op_type)
    if entry is None:
        known = [*_custom, *OPERATORS.names()]
        raise not_found_error("custom operator", op_type, known, report("operator", op_type))
    return entry


def lookup_layer(name: str) -> Entry:
    """Return the layer of this name; see `Registry.lookup`."""
    return LAYERS.lookup(name)


def names() -> list[str]:
    """Return the names of all operators, including those of plugins that are not loaded."""
    return OPERATORS.names()


def custom_names() -> list[str]:
    """Return the names that the program registered, sorted."""
    return sorted(_custom)


def _set_custom(name: str, entry: Entry | None) -> None:
    if entry is None:
        _custom.pop(name, None)
    else:
        _custom[name] = entry


def _is_typed(entry: Entry | None) -> bool:
    return entry is not None and issubclass(entry.prop_class, OperatorProp)
