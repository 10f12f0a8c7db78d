"""Restoration of `sys.path` entries and modules that a plugin removes during its import."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["preserved_imports"]


@contextmanager
def preserved_imports() -> Iterator[list[str]]:
    """Undo removals from `sys.path` and `sys.modules` in the block; additions stay.

    Yields
    ------
    list of str
        After the block, a description of each restoration.
    """
    path, modules = list(sys.path), dict(sys.modules)
    restored: list[str] = []
    try:
        yield restored
    finally:
        if not set(path) <= set(sys.path):
            sys.path[:] = [*path, *(folder for folder in sys.path if folder not in path)]
            restored.append("it removes folders from sys.path, which were restored")
        gone = [name for name in modules if name not in sys.modules]
        if gone:
            sys.modules.update({name: modules[name] for name in gone})
            restored.append(f"it removes {gone[0]} from sys.modules, which was restored")
