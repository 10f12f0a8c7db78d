"""Isolation of tests: other visible plugins, and no lasting changes of the registry.

This is the only module that modifies the registry's and the resolver's internals, which never
discard entries on their own.
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
    """Undo at the end of the block everything registered or loaded in it by any thread.

    Registrations of opforge itself stay, because its modules are imported only once.

    Parameters
    ----------
    keep : callable, optional
        Selects the existing entries that the block sees; installed plugins are then discovered
        again, as `OPFORGE_PLUGINS` allows. None: all entries and the plugins already found.
    """
    std.register()  # the block's tables are copies; primitives are added on first use
    resolver, tables = plugin.RESOLVER, tuple(TABLES.values())
    saved = [table._table for table in tables]
    custom, states, settings = registry._custom, resolver._states, resolver._settings
    for table in tables:
        table._table = _filter_table(table._table, keep)
    registry._custom = {
        name: entry for name, entry in custom.items() if keep is None or keep(entry)
    }
    if keep is None:
        # Copies, because a state changes to "loaded" in place.
        resolver._states = states and {key: replace(state) for key, state in states.items()}
    else:
        resolver._states = resolver._settings = None
    _reset_questions()
    try:
        yield
    finally:
        for table, old in zip(tables, saved, strict=True):
            table._table = _with_own(old, table._table)
        registry._custom, resolver._states, resolver._settings = custom, states, settings
        _reset_questions()


def _filter_table(table: _Table, keep: Callable[[registry.Entry], bool] | None) -> _Table:
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
    """Return `table` with the entries that opforge itself added in `later`."""
    own = _filter_table(later, lambda entry: entry.provider == CORE)
    return table | {name: own[name] | table.get(name, {}) for name in own}


def _reset_questions() -> None:
    """Clear caches, so that the next use of each name queries the registry."""
    forget_decisions()
    forget_functions()
