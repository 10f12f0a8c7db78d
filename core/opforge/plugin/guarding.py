"""Restores entries of `sys.path` and modules that a plugin removes while it is imported."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["kept_imports"]


@contextmanager
def kept_imports() -> Iterator[list[str]]:
    """Undo removals from `sys.path` and `sys.modules` in the block; what is added stays.

    Yields
    ------
    list of str
        After the block, what was put back, in words.
    """
    path, modules = list(sys.path), dict(sys.modules)
    said: list[str] = []
    try:
        yield said
    finally:
        if not set(path) <= set(sys.path):
            sys.path[:] = [*path, *(place for place in sys.path if place not in path)]
            said.append("it removes folders from sys.path, which were put back")
        gone = [name for name in modules if name not in sys.modules]
        if gone:
            sys.modules.update({name: modules[name] for name in gone})
            said.append(f"it removes {gone[0]} from sys.modules, which was put back")
