"""Modules whose attributes are, besides their own, what plugins bring of one kind."""

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
        Its name.
    noun : str
        Of `op.registry.kinds.KINDS`.
    own : list of str
        What `dir` lists besides the names of plugins.

    Examples
    --------
    >>> attribute, names = plugin_attributes("opforge.gluon.nn", "layer", [])
    >>> attribute("Dense").__name__, "Dense" in names()
    ('Dense', True)
    """
    table = TABLES[noun]

    def module_attribute(name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        return table.lookup(name).prop_class

    def module_names() -> list[str]:
        return sorted({*own, *table.names()})

    return module_attribute, module_names
