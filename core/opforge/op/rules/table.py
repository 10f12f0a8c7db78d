"""Registration and lookup of rules by operator and kind.

Conflicts are resolved as for names: a rule of the program is used first, then a pinned one
(``OPFORGE_PIN=gradient:gammaln=acme-special``), then that of the distribution that declares the
operator, then the only one of another distribution. Two without a pin are an error.
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from ...base.errors import OpforgeError
from ..registry.entry import Entry
from ..registry.naming import normalize
from ..registry.registry import lookup
from ..registry.table import TABLES, current_pins
from .kinds import rule_name

__all__ = [
    "added",
    "find",
    "has_own",
    "is_of_program",
    "names",
    "providers",
    "register",
    "supported",
]

Rule = Callable[..., Any]
RuleType = TypeVar("RuleType", bound=Rule)

_table = TABLES["rule"]
#: Rules of the program, by name.
_own: dict[str, Rule] = {}
#: Operator -> kinds of rules that are added to it; None after a change.
_added: Mapping[str, tuple[str, ...]] | None = None


def register(kind: str, operator: str) -> Callable[[RuleType], RuleType]:
    """Return a decorator that adds a rule to an operator for the current process.

    It replaces the rule that a plugin or the declaration of the operator has. Functions of `nd`
    that a program keeps in variables are not changed.

    Parameters
    ----------
    kind : str
        A key of `kinds.RULE_KINDS`, or the name of an exporter.
    operator : str
        Name under which the operator is declared.

    Examples
    --------
    >>> @register("listing", "relu")
    ... def relu(prop, inputs):
    ...     return f"max({inputs[0]}, 0)"
    >>> find("listing", "relu")(None, ["x"])
    'max(x, 0)'
    """

    def decorate(function: RuleType) -> RuleType:
        if not callable(function):
            raise TypeError(f"rule {rule_name(kind, operator)!r}: {function!r} is not callable")
        _own[rule_name(kind, operator)] = function
        _table.forget_decisions()
        return function

    return decorate


def find(kind: str, operator: str) -> Rule | None:
    """Return the rule that the program or a plugin adds to an operator, or None.

    Parameters
    ----------
    kind, operator : str
        As for `register`.

    Raises
    ------
    AmbiguousOperatorError
        Several distributions, none of which declares the operator, have a rule, without a pin.
    PluginError
        A pin names a distribution without such a rule.
    """
    name = rule_name(kind, operator)
    if name in _own:
        return _own[name]
    if kind not in added().get(operator, ()):
        return None
    if name not in current_pins():
        owner = normalize(_owner(operator))
        if owner in map(normalize, _table.explain(name).candidates):
            name = f"{owner}::{name}"
    entry = _table.find(name)
    return None if entry is None else entry.contribution


def has_own() -> bool:
    """Return whether the program registered any rule."""
    return bool(_own)


def is_of_program(name: str) -> bool:
    """Return whether the program registered the rule of this name."""
    return name in _own


def supported(kind: str) -> list[str]:
    """Return the operators to which the program or a plugin adds a rule of this kind, sorted.

    Examples
    --------
    >>> supported("no such exporter")
    []
    """
    return sorted(operator for operator, kinds in added().items() if kind in kinds)


def names() -> list[str]:
    """Return the names of all rules that the program and enabled plugins add, sorted."""
    return sorted({*_own, *_table.names()})


def providers(operator: str) -> dict[str, list[str]]:
    """Return the distributions that add a rule to an operator, by kind; loads nothing.

    An empty string stands for the program.
    """
    found = {}
    for kind in sorted(added().get(operator, ())):
        name = rule_name(kind, operator)
        own = [""] if name in _own else []
        found[kind] = own + list(_table.explain(name).candidates)
    return found


def added() -> Mapping[str, tuple[str, ...]]:
    """Return the kinds of the added rules of each operator; loads nothing."""
    global _added
    found = _added
    if found is None:
        kinds: dict[str, tuple[str, ...]] = {}
        for name in names():
            kind, _, operator = name.partition(":")
            kinds[operator] = (*kinds.get(operator, ()), kind)
        found = _added = kinds
    return found


def _owner(operator: str) -> str:
    """Return the distribution that declares an operator, or an empty string."""
    try:
        entry: Entry = lookup(operator)
    except OpforgeError:
        return ""  # a rule for an operator that is not installed is used by its exporter only
    return entry.provider


def _forget_added() -> None:
    global _added
    _added = None


_table.listeners.append(_forget_added)
