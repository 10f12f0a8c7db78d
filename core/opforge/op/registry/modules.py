"""Modules whose attributes include the plugins' contributions of one kind."""

import sys
from collections.abc import Callable
from typing import Any

from .kinds import Kind
from .table import TABLES

__all__ = ["plugin_attributes"]


def plugin_attributes(
    module: str, noun: str, own: list[str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` of a module; call it at the end of the module.

    If the module is the home of the kind, its own contributions are registered.

    Parameters
    ----------
    module : str
        Name of the module.
    noun : str
        Kind, a key of `op.registry.kinds.KINDS`.
    own : list of str
        Names that `dir` lists in addition to those of plugins.

    Examples
    --------
    >>> attribute, names = plugin_attributes("opforge.gluon.nn", "layer", [])
    >>> attribute("Dense").__name__, "Dense" in names()
    ('Dense', True)
    """
    table = TABLES[noun]
    # As in `add_aliases`: `from module import name` asks the finders.
    attributes = vars(sys.modules[module])
    attributes.setdefault("__path__", [])
    # `NameRegistry` registers the classes of kinds with case-insensitive names.
    if table.kind.home == module and not table.kind.folded:
        for name in own:
            _register_own(table.kind, name, attributes[name])

    def module_attribute(name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        entry = table.find(name)
        if entry is None:
            raise table.not_found(name)
        return entry.prop_class

    def module_names() -> list[str]:
        return sorted({*own, *table.names()})

    return module_attribute, module_names


def _register_own(kind: Kind, name: str, value: Any) -> None:
    """Register a name of the home module if it is a contribution, which base classes are not."""
    is_base = kind.base == f"{kind.home}:{name}"
    if not is_base and not kind.problem(value):
        TABLES[kind.noun].add_own(name, value)
