"""Names that plugins add to modules of opforge, such as MXNet's other paths to the same object.

Plugins may also explain names that a module does not have.

Layer 0: plugins are looked up only if a module does not have a name.
"""

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

from .errors import OperatorNotFoundError
from .foreign_modules import has_module_file

__all__ = ["MissingName", "add_aliases", "alias_of", "forget_missing"]


class MissingName(str):
    """Explanation of a missing name: a value in a plugin's table of aliases.

    Examples
    --------
    >>> ALIASES = {"gluon": {"probability": MissingName("it is part of MXNet 2 only")}}
    """

    __slots__ = ()


#: Upper bound of the names kept per module; a program may look up any number of them.
_MAX_MISSING = 1000
#: Names that neither a module nor a plugin has, by module: looking them up again is fast.
_missing: dict[str, set[str]] = {}
#: Path in the tables of modules that plugins provide under another name.
_paths: dict[str, str] = {}


def add_aliases(name: str, path: str | None = None) -> None:
    """Let plugins add names to a module; call it at the end of the module.

    The names that the module defines, its submodules and its own ``__getattr__`` take precedence.

    Parameters
    ----------
    name : str
        The module's ``__name__``.
    path : str, optional
        Path of the module in the tables; by default, that of `name` below its package.
    """
    if path is not None:
        _paths[name] = path
    attributes = vars(sys.modules[name])
    attributes["__getattr__"] = _with_aliases(name, attributes.get("__getattr__"))
    # Without a path, `from module import name` does not ask the finders, which explain errors.
    attributes.setdefault("__path__", [])


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
        except AttributeError as error:
            if name in missing:
                raise
            found = alias_of(module, name)
            if found is None:
                # Names of contributions are explained where they are looked up.
                is_explained = isinstance(error, OperatorNotFoundError)
                why = None if is_explained else _explanation(module, name)
                if why is not None:
                    raise OperatorNotFoundError(f"{error}: {why}") from None
                if len(missing) < _MAX_MISSING:
                    missing.add(name)
                raise
        return found()

    return attribute


def alias_of(module: str, name: str) -> Callable[[], Any] | None:
    """Return a function that imports an alias or a module that a plugin adds, or None."""
    if _is_python_lookup(module, name):
        return None
    found: Callable[[], Any] | None = _plugin_layer("modules").find_attribute(_path(module), name)
    return found


def _explanation(module: str, name: str) -> str | None:
    """Return why a module does not have a name, if a plugin explains it."""
    if _is_python_lookup(module, name):
        return None
    found: str | None = _plugin_layer("aliases").explain_missing(_path(module), name)
    return found


def _is_python_lookup(module: str, name: str) -> bool:
    # Python itself looks up dunder names, and submodules before it imports them.
    path = getattr(sys.modules[module], "__path__", ())
    return name.startswith("__") or has_module_file(name, path)


def _path(module: str) -> str:
    return _paths.get(module) or module.partition(".")[2]


def _plugin_layer(name: str) -> Any:
    """Return a module of the layer above, imported when a program first needs it."""
    return import_module(f"{__name__.partition('.')[0]}.plugin.{name}")
