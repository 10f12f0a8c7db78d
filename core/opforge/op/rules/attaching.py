"""Attachment of added rules to a declaration, when its operator is bound to attributes."""

from types import MethodType
from typing import Any

from ...base.errors import PluginError
from ..declaring.declaration import OperatorProp
from ..registry.entry import CORE, Entry
from ..registry.naming import normalize
from ..registry.table import current_pins
from .kinds import RULE_KINDS, rule_name
from .table import added, find, has_own, is_of_program

__all__ = ["attach"]


def attach(prop: OperatorProp, entry: Entry) -> None:
    """Set the rules that the program and plugins add to an operator on its declaration.

    A rule of the declaration stays, unless the program replaces it or a pin names another
    distribution. Operators of the core change only then, too, so that what they do does not depend
    on what is installed, and needs no metadata.

    Parameters
    ----------
    prop : OperatorProp
        Declaration with attributes.
    entry : Entry

    Raises
    ------
    PluginError
        The operator cannot have such a rule.
    """
    chosen = _replacing_kinds(prop.name, entry)
    kinds = chosen if entry.provider == CORE else added().get(prop.name, ())
    for kind in kinds:
        if kind in RULE_KINDS and (getattr(prop, kind) is None or kind in chosen):
            function = find(kind, prop.name)
            if function is not None:
                _set(prop, kind, function)
    if "compute" in kinds:
        _check_gradient(prop)


def _replacing_kinds(operator: str, entry: Entry) -> list[str]:
    """Return the kinds of rules that the program has, or a pin to another distribution."""
    pins = current_pins()
    if not pins and not has_own():
        return []
    names = {kind: rule_name(kind, operator) for kind in RULE_KINDS}
    owner = normalize(entry.provider)
    return [
        kind
        for kind, name in names.items()
        if is_of_program(name) or normalize(pins.get(name, owner)) != owner
    ]


def _set(prop: OperatorProp, kind: str, function: Any) -> None:
    if prop.elementwise_kernel is not None and kind != "compute_sparse":
        raise PluginError(
            f"rule {rule_name(kind, prop.name)!r}: operator {prop.name!r} is a single elementwise "
            "kernel of the core, to which only a rule for sparse arrays can be added; declare an "
            "operator of another name"
        )
    setattr(prop, kind, MethodType(function, prop))
    if kind == "gradient":
        prop.saves = ("inputs", "outputs")


def _check_gradient(prop: OperatorProp) -> None:
    """Reject an operator that would lose its gradient, because `create_operator` is not used."""
    has_own_backward = type(prop).create_operator is not OperatorProp.create_operator
    if prop.differentiable and prop.gradient is None and has_own_backward:
        raise PluginError(
            f"rule {rule_name('compute', prop.name)!r}: operator {prop.name!r} is differentiated "
            "by the object that computes it, which the rule replaces; add a rule "
            f"{rule_name('gradient', prop.name)!r}"
        )
