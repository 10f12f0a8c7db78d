"""Tests that see other plugins than those installed, and leave no trace in the registry.

The one place that reaches into registry and resolver: both forget nothing by themselves.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from .. import plugin
from ..op import registry
from ..op.functions import forget_functions

__all__ = ["isolated"]


@contextmanager
def isolated(keep: Callable[[registry.Entry], bool] | None = None) -> Iterator[None]:
    """Undo after the block what was registered and loaded in it, by any thread.

    Parameters
    ----------
    keep : callable, optional
        Of what was registered before, the entries that the block sees; the installed plugins are
        looked for anew then, as `OPFORGE_PLUGINS` allows them. None: all, and what was found.
    """
    tables = (registry.OPERATORS, registry.LAYERS)
    saved = [table._table for table in tables]
    custom, states = registry._custom, plugin.RESOLVER._states
    for table in tables:
        kept = {
            name: {
                key: found
                for key, entries in providers.items()
                if (found := _chosen(entries, keep))
            }
            for name, providers in table._table.items()
        }
        table._table = {name: providers for name, providers in kept.items() if providers}
        table.forget_decisions()
    registry._custom = {
        name: entry for name, entry in custom.items() if keep is None or keep(entry)
    }
    # Copies, as a state becomes "loaded" in its place.
    copies = states and {key: replace(state) for key, state in states.items()}
    plugin.RESOLVER._states = copies if keep is None else None
    forget_functions()
    try:
        yield
    finally:
        for table, old in zip(tables, saved, strict=True):
            table._table = old
            table.forget_decisions()
        registry._custom, plugin.RESOLVER._states = custom, states
        forget_functions()


def _chosen(
    entries: tuple[registry.Entry, ...], keep: Callable[[registry.Entry], bool] | None
) -> tuple[registry.Entry, ...]:
    """Return the versions of one provider's operator that the block sees."""
    return tuple(entry for entry in entries if keep is None or keep(entry))
