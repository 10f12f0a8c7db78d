"""Modules that plugins provide: ``opforge.image`` is the plugin's own module.

`opforge` looks up names here that it does not have, as attributes and in imports. Its own names
take precedence; conflicts between plugins are resolved as for operators. A name with dots
(``gluon.contrib``) is that of a module inside a package of opforge.
"""

import sys
from collections.abc import Callable
from functools import cache, partial
from types import ModuleType
from typing import Any

from ..base.errors import OperatorNotFoundError, OpforgeError
from ..base.lazy_text import LazyText
from ..op.registry.catalogue import providers
from ..op.registry.table import TABLES
from .aliases import find_alias
from .import_errors import ImportErrors
from .resolver import RESOLVER

__all__ = ["find_attribute", "find_module", "module_names", "plugin_attribute", "plugin_module"]

_TABLE = TABLES["module"]
_PACKAGE = __name__.partition(".")[0]


def plugin_module(name: str) -> ModuleType:
    """Return the module that a plugin provides as `name`, loading the plugin if necessary.

    Raises
    ------
    OperatorNotFoundError
        The module is not found; the message names the distribution to install, if known.
    AmbiguousOperatorError, PluginError
        Several plugins provide it and no setting decides, or a pin names one that does not.
    """
    entry = _TABLE.find(name)
    if entry is None:
        raise OperatorNotFoundError(LazyText(_no_attribute, name))
    module: ModuleType = entry.contribution
    return module


def plugin_attribute(name: str) -> Any:
    """Return the module or the alias that a plugin adds to `opforge` itself.

    Raises
    ------
    OperatorNotFoundError, AmbiguousOperatorError, PluginError
        As `plugin_module` and `aliases.find_alias` do.
    """
    entry = _TABLE.find(name)
    if entry is not None:
        _attributes().keep(name, entry.contribution, (name,), 0)
        return entry.contribution
    alias = find_alias("", name)
    if alias is None:
        raise OperatorNotFoundError(LazyText(_no_attribute, name))
    return alias()


@cache
def _attributes() -> Any:
    """Return the cache of modules among the attributes of `opforge`."""
    # Imported here, because listing plugins does not need NumPy.
    from ..op.calling.functions import KeptAttributes

    return KeptAttributes(vars(sys.modules[_PACKAGE]))


def find_attribute(module: str, name: str) -> Callable[[], Any] | None:
    """Return a function that imports what a plugin adds to a module inside `opforge`.

    Parameters
    ----------
    module : str
        Path of the module below `opforge`.
    name : str
        Name of an alias, or of a module that is found as ``module.name``.

    Returns
    -------
    callable or None
        None if no known plugin adds the name. If the plugin of a module is not installed or not
        enabled, the function raises the error of `plugin_module`.

    Raises
    ------
    AmbiguousOperatorError, PluginError
        As `plugin_module` and `aliases.find_alias` do.
    """
    alias = find_alias(module, name)
    if alias is not None:
        return alias
    path = f"{module}.{name}"
    return partial(plugin_module, path) if _is_known(path) else None


def find_module(name: str) -> Callable[[], ModuleType] | None:
    """Return a function that loads the module `name`, or None if no known plugin provides it.

    Nothing is loaded before that function is called.

    Raises
    ------
    ImportError
        A known plugin provides it, but is not installed, not enabled or not pinned.
    """
    return partial(_import_for_statement, name) if _is_known(name) else None


def module_names() -> list[str]:
    """Return the names of all modules that plugins provide for `opforge` itself, sorted."""
    return [name for name in _TABLE.names() if "." not in name]


def _is_known(name: str) -> bool:
    """Return whether a plugin that is installed, disabled or installable provides a module."""
    is_disabled = any(s.provider.has("module", name) for s in RESOLVER.states().values())
    is_installed = _TABLE.explain(name).reason != "not installed"
    return is_installed or is_disabled or name in providers("module")[0]


def _no_attribute(name: str) -> str:
    # Python's own text first, which programs and users look for.
    parent, _, leaf = f"{_PACKAGE}.{name}".rpartition(".")
    return f"module {parent!r} has no attribute {leaf!r}: {_TABLE.not_found_text(name)}"


def _load_module(name: str) -> ModuleType:
    module: ModuleType = _TABLE.lookup(name).contribution
    return module


def _import_for_statement(name: str) -> ModuleType:
    """Return a module for an import statement, whose errors are ImportErrors."""
    try:
        return _load_module(name)
    except OpforgeError as error:
        full = f"{_PACKAGE}.{name}"
        raise ImportError(f"{full} cannot be imported: {error}", name=full) from error


# Every lookup of a name that opforge does not have imports this module before it fails.
sys.meta_path.append(ImportErrors())
