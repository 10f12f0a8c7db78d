"""Modules whose attributes include the plugins' contributions of one kind."""

import sys
from collections.abc import Callable
from typing import Any

from .table import TABLES

__all__ = ["plugin_attributes"]


def plugin_attributes(
    module: str, noun: str, own: list[str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` of a module.

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
    vars(sys.modules[module]).setdefault("__path__", [])

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
