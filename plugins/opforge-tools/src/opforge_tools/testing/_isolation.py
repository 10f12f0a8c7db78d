"""Tests that see other plugins than those installed, and leave no trace in the registry.

The one place that reaches into registry and resolver: both forget nothing by themselves.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from opforge import plugin, std
from opforge.op.calling.functions import forget_functions
from opforge.op.registry import registry
from opforge.op.registry.entry import CORE
from opforge.op.registry.table import TABLES, forget_decisions

__all__ = ["isolated"]

_Table = dict[str, dict[str, tuple[registry.Entry, ...]]]


@contextmanager
def isolated(keep: Callable[[registry.Entry], bool] | None = None) -> Iterator[None]:
    """Undo after the block what was registered and loaded in it, by any thread.

    What opforge itself registered stays: its modules are imported once, maybe first in the block.

    Parameters
    ----------
    keep : callable, optional
        Of what was registered before, the entries that the block sees; the installed plugins are
        looked for anew then, as `OPFORGE_PLUGINS` allows them. None: all, and what was found.
    """
    std.register()  # the block's tables are copies, and primitives come with their first use
    resolver, tables = plugin.RESOLVER, tuple(TABLES.values())
    saved = [table._table for table in tables]
    custom, states, settings = registry._custom, resolver._states, resolver._settings
    for table in tables:
        table._table = _kept(table._table, keep)
    registry._custom = {
        name: entry for name, entry in custom.items() if keep is None or keep(entry)
    }
    if keep is None:
        # Copies, as a state becomes "loaded" in its place.
        resolver._states = states and {key: replace(state) for key, state in states.items()}
    else:
        resolver._states = resolver._settings = None
    _ask_anew()
    try:
        yield
    finally:
        for table, old in zip(tables, saved, strict=True):
            table._table = _with_own(old, table._table)
        registry._custom, resolver._states, resolver._settings = custom, states, settings
        _ask_anew()


def _kept(table: _Table, keep: Callable[[registry.Entry], bool] | None) -> _Table:
    """Return a copy of a registry's table with the entries that are kept."""
    found = {
        name: {
            key: tuple(entry for entry in entries if keep is None or keep(entry))
            for key, entries in providers.items()
        }
        for name, providers in table.items()
    }
    filled = {
        name: {key: entries for key, entries in providers.items() if entries}
        for name, providers in found.items()
    }
    return {name: providers for name, providers in filled.items() if providers}


def _with_own(table: _Table, later: _Table) -> _Table:
    """Return `table` with what opforge itself has added to it in `later`."""
    own = _kept(later, lambda entry: entry.provider == CORE)
    return table | {name: own[name] | table.get(name, {}) for name in own}


def _ask_anew() -> None:
    """Let the next use of each name ask the registry."""
    forget_decisions()
    forget_functions()
