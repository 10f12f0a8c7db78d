"""Names that plugins add to modules of opforge.

A distribution declares a table of them by an entry point in the group ``opforge.aliases``, whose
value names a mapping: module below `opforge` (an empty string for `opforge` itself) -> name ->
``module:attribute``, or ``module`` for a module itself. A `MissingName` explains a name that the
module does not have. A table is imported the first time that a program uses a name that such a
module does not have.
"""

from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from operator import attrgetter
from typing import Any

from ..base.errors import AmbiguousOperatorError, PluginError
from ..base.module_aliases import MissingName
from ..op.registry.kinds import KINDS
from .discovery import Provider
from .importing import import_object
from .resolver import RESOLVER

__all__ = ["explain_contribution", "explain_missing", "find_alias"]

#: Module -> name -> the distributions that add it, each with the object's import path.
_Table = dict[str, dict[str, dict[str, str]]]


class _Aliases:
    """The tables of the enabled plugins, read again after the plugins were refreshed."""

    def __init__(self) -> None:
        self._states: object = None
        self._table: _Table = {}

    def find(self, module: str, name: str) -> dict[str, str]:
        """Return distribution -> import path or explanation for a name of a module."""
        return self.names(module).get(name, {})

    def names(self, module: str) -> dict[str, dict[str, str]]:
        """Return the rows of a module by name."""
        states = RESOLVER.states()
        if states is not self._states:
            self._table, self._states = _read_tables(), states
        return self._table.get(module, {})


_ALIASES = _Aliases()


def find_alias(module: str, name: str) -> Callable[[], Any] | None:
    """Return a function that imports the object that a plugin adds to a module.

    Parameters
    ----------
    module : str
        Path of the module below `opforge`; an empty string for `opforge` itself.
    name : str

    Returns
    -------
    callable or None
        None if no enabled plugin adds the name.

    Raises
    ------
    AmbiguousOperatorError
        Several plugins add it, as different objects.
    PluginError
        The table of a plugin cannot be imported.
    """
    rows = _ALIASES.find(module, name)
    if not rows:
        return None
    found = {owner: path for owner, path in rows.items() if not isinstance(path, MissingName)}
    paths = sorted(set(found.values()))
    if len(paths) > 1:
        owners = ", ".join(f"{owner} ({found[owner]})" for owner in sorted(found))
        raise AmbiguousOperatorError(
            f"{'.'.join(filter(None, ('opforge', module, name)))} is added by {owners}. Import the "
            "object from one of them, or disable the other: `opforge plugins disable NAME`"
        )
    return partial(import_object, paths[0]) if paths else None


def explain_missing(module: str, name: str) -> str | None:
    """Return a plugin's explanation why a module does not have a name, or None.

    Parameters
    ----------
    module : str
        Path of the module below `opforge`; an empty string for `opforge` itself.
    name : str

    Raises
    ------
    PluginError
        As `find_alias` does.
    """
    found = sorted({p for p in _ALIASES.find(module, name).values() if isinstance(p, MissingName)})
    return "; ".join(found) or None


def explain_contribution(noun: str, name: str) -> str:
    """Return a plugin's explanation why a contribution is missing; empty if there is none.

    Parameters
    ----------
    noun : str
        Kind, whose contributions are attributes of a module.
    name : str

    Raises
    ------
    PluginError
        As `find_alias` does.
    """
    kind = KINDS[noun]
    if kind.is_module:
        module, _, leaf = name.rpartition(".")
        return explain_missing(module, leaf) or ""
    face, _, attribute = kind.expression.rpartition(".")
    if attribute != "{name}":
        return ""
    # `nd` is `ndarray`.
    module = attrgetter(face)(import_module("opforge")).__name__.partition(".")[2]
    same = [known for known in _ALIASES.names(module) if kind.key(known) == kind.key(name)]
    return explain_missing(module, same[0]) or "" if same else ""


def _read_tables() -> _Table:
    table: _Table = {}
    for state in RESOLVER.states().values():
        if state.state != "disabled":
            for value in state.provider.aliases.values():
                _add(table, state.provider, _import_aliases(state.provider, value))
    return table


def _add(table: _Table, provider: Provider, aliases: Mapping[str, Mapping[str, str]]) -> None:
    for module, names in aliases.items():
        for name, path in names.items():
            table.setdefault(module, {}).setdefault(name, {})[provider.name] = path


def _import_aliases(provider: Provider, value: str) -> Mapping[str, Mapping[str, str]]:
    try:
        found: Mapping[str, Mapping[str, str]] = import_object(value)
    except Exception as error:
        raise PluginError(
            f"plugin {provider.name} {provider.version}: its table of aliases {value!r} cannot be "
            f"imported ({type(error).__name__}: {error}). Reinstall the plugin, or disable it: "
            f"`opforge plugins disable {provider.name}`"
        ) from error
    return found
