"""Tests that see other plugins than those installed, and leave no trace in the registry.

The one place that reaches into registry and resolver: both forget nothing by themselves.
"""

import inspect
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from types import ModuleType
from typing import Any

from .. import plugin
from ..op import registry

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
    functions = {space: _generated(space) for space in _namespaces()}
    for table in tables:
        kept = {
            name: {key: entry for key, entry in providers.items() if keep is None or keep(entry)}
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
    for space in functions:
        _forget(space)
    try:
        yield
    finally:
        for table, old in zip(tables, saved, strict=True):
            table._table = old
            table.forget_decisions()
        registry._custom, plugin.RESOLVER._states = custom, states
        for space in _namespaces():
            _forget(space)
            vars(space).update(functions.get(space, {}))


def _namespaces() -> list[ModuleType]:
    """Return `nd` and `sym`, where they are imported: they keep the functions that they made."""
    names = ("opforge.ndarray", "opforge.symbol")
    return [sys.modules[name] for name in names if name in sys.modules]


def _generated(space: ModuleType) -> dict[str, Any]:
    """Return the functions that a namespace made of declarations."""
    return {
        key: value
        for key, value in vars(space).items()
        if inspect.isfunction(value)
        and value.__module__ == space.__name__
        and value.__code__.co_filename != space.__file__
    }


def _forget(space: ModuleType) -> None:
    """Let a namespace make its functions anew: others may provide them now."""
    for key in _generated(space):
        delattr(space, key)
