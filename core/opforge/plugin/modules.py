"""Whole modules that plugins bring: ``opforge.image`` is the plugin's own module.

`opforge` itself asks here for names that it does not have, as attributes and in imports. What it
has goes before; names that several plugins have are settled as those of operators are.
"""

from collections.abc import Callable
from types import ModuleType

from ..base.errors import OperatorNotFoundError, OpforgeError
from ..base.lazy_text import LazyText
from ..op.registry.catalogue import providers
from ..op.registry.table import TABLES
from .resolver import RESOLVER

__all__ = ["find_module", "module_names", "plugin_module"]

_TABLE = TABLES["module"]
_PACKAGE = __name__.partition(".")[0]


def plugin_module(name: str) -> ModuleType:
    """Return the module that a plugin brings under `name`, loading the plugin if need be.

    Raises
    ------
    OperatorNotFoundError
        There is none; the message says what to install, where that is known.
    AmbiguousOperatorError, PluginError
        Several plugins have it and nothing decides, or a pin names one that does not.
    """
    entry = _TABLE.find(name)
    if entry is None:
        raise OperatorNotFoundError(LazyText(_no_attribute, name))
    module: ModuleType = entry.thing
    return module


def find_module(name: str) -> Callable[[], ModuleType] | None:
    """Return a function that loads the module `name`, or None where nobody is known to have it.

    Nothing is loaded before that function is called.

    Raises
    ------
    ImportError
        A plugin that is known has it, and is not installed, not enabled or not pinned.
    """
    known = _TABLE.explain(name).reason != "not installed"
    # One that is disabled, or that can be installed, is worth an error of its own.
    if known or name in providers("module")[0] or _is_disabled(name):
        return lambda: _imported(name)
    return None


def module_names() -> list[str]:
    """Return the names of all modules that plugins bring, sorted; loads nothing."""
    return _TABLE.names()


def _is_disabled(name: str) -> bool:
    return any(state.provider.has("module", name) for state in RESOLVER.states().values())


def _no_attribute(name: str) -> str:
    # Python's own words first, which programs and people look for.
    return f"module {_PACKAGE!r} has no attribute {name!r}: {_TABLE.not_found_text(name)}"


def _loaded(name: str) -> ModuleType:
    module: ModuleType = _TABLE.lookup(name).thing
    return module


def _imported(name: str) -> ModuleType:
    """Return a module for an import statement, whose errors are ImportErrors."""
    try:
        return _loaded(name)
    except OpforgeError as error:
        full = f"{_PACKAGE}.{name}"
        raise ImportError(f"{full} cannot be imported: {error}", name=full) from error
