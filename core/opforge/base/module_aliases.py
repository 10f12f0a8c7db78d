"""Names that plugins add to modules of opforge, such as MXNet's other paths to the same object.

Layer 0: plugins are looked up only if a module does not have a name.
"""

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

from .foreign_modules import has_module_file

__all__ = ["add_aliases", "alias_of", "forget_missing"]

#: Upper bound of the names kept per module; a program may look up any number of them.
_MAX_MISSING = 1000
#: Names that neither a module nor a plugin has, by module: looking them up again is fast.
_missing: dict[str, set[str]] = {}


def add_aliases(name: str) -> None:
    """Let plugins add names to a module; call it at the end of the module.

    The names that the module defines, its submodules and its own ``__getattr__`` take precedence.

    Parameters
    ----------
    name : str
        The module's ``__name__``, whose path below its package is that of the tables.
    """
    attributes = vars(sys.modules[name])
    attributes["__getattr__"] = _with_aliases(name, attributes.get("__getattr__"))


def forget_missing() -> None:
    """Look missing names up in the plugins again; called when the plugins have changed."""
    for names in _missing.values():
        names.clear()


def _with_aliases(module: str, inner: Callable[[str], Any] | None) -> Callable[[str], Any]:
    missing = _missing.setdefault(module, set())

    def attribute(name: str) -> Any:
        try:
            if inner is not None:
                return inner(name)
            from .name_hints import missing_name  # only programs with an error need it

            raise missing_name(module, name)
        except AttributeError:
            if name in missing:
                raise
            found = alias_of(module, name)
            if found is None:
                if len(missing) < _MAX_MISSING:
                    missing.add(name)
                raise
        return found()

    return attribute


def alias_of(module: str, name: str) -> Callable[[], Any] | None:
    """Return a function that imports an alias or a module that a plugin adds, or None."""
    # Python itself looks up dunder names, and submodules before it imports them.
    if name.startswith("__") or has_module_file(name, getattr(sys.modules[module], "__path__", ())):
        return None
    path = module.partition(".")[2]
    # The layer above, imported when a program first uses a name that the core does not have.
    found: Callable[[], Any] | None
    modules = import_module(f"{__name__.partition('.')[0]}.plugin.modules")
    found = modules.find_attribute(path, name)
    return found
