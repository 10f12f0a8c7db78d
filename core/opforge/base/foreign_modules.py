"""Modules of other packages under names of this one: the finder behind ``import opforge.image``.

Submodules of such a module are found below the real one, so that ``opforge.image.detection`` and
``opforge_image.image.detection`` are the same object. A package's own files take precedence over
modules that others provide.
"""

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from importlib.machinery import ModuleSpec, all_suffixes
from types import ModuleType
from typing import Any

__all__ = ["ForeignModules", "has_module_file", "standing_in"]

_SUFFIXES = tuple(all_suffixes())


def standing_in(name: str, find: Callable[[], ModuleType], is_package: bool = False) -> ModuleSpec:
    """Return the spec by which importing `name` gives the module that ``find()`` returns."""
    # No subclass of importlib.abc.Loader, whose import takes longer than the rest of this one's.
    loader: Any = _StandIn(find)
    return ModuleSpec(name, loader, is_package=is_package)


class _StandIn:
    """A loader that substitutes an existing module for the one to be loaded.

    Parameters
    ----------
    find : callable
        ``find()`` returns the module.
    """

    def __init__(self, find: Callable[[], ModuleType]) -> None:
        self._find = find

    def create_module(self, spec: ModuleSpec) -> None:
        """Let the import system create an empty module, which no program ever sees."""

    def exec_module(self, module: ModuleType) -> None:
        """Replace the empty module by the real one."""
        # The import system returns what it finds here afterwards.
        sys.modules[module.__name__] = self._find()

    def get_code(self, fullname: str) -> Any:
        """Return what ``python -m`` runs: the code of the real module, or of its `__main__`."""
        from importlib.util import find_spec

        real = self._find()
        name = f"{real.__name__}.__main__" if hasattr(real, "__path__") else real.__name__
        spec = find_spec(name)
        if spec is None:
            raise ImportError(f"{fullname} has no __main__ that python -m could run", name=fullname)
        loader: Any = spec.loader
        return loader.get_code(name)


class ForeignModules:
    """Meta path finder for modules that other distributions provide for one package.

    Parameters
    ----------
    package : str
    path : sequence of str
        The package's ``__path__``.
    find : callable
        ``find(name)`` returns a function that returns the module ``package.name``, or None if no
        distribution provides it. `name` may have dots. May raise an ImportError with a remedy.
    """

    def __init__(
        self,
        package: str,
        path: Sequence[str],
        find: Callable[[str], Callable[[], ModuleType] | None],
    ) -> None:
        self._package = package
        self._path = path
        self._find = find

    def is_foreign(self, name: str) -> bool:
        """Return whether others may provide ``package.name``: the package has no file for it."""
        return self._is_foreign(name, self._path)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the spec of a module that another distribution provides."""
        package, _, name = fullname.partition(".")
        if package != self._package or not name:
            return None
        parent, _, leaf = fullname.rpartition(".")
        real = sys.modules[parent].__name__
        is_inside = real.partition(".")[0] != self._package
        inside = self._inside(fullname, f"{real}.{leaf}") if is_inside else None
        if inside is not None:
            return inside
        load = self._find(name) if self._is_foreign(leaf, path or ()) else None
        return None if load is None else standing_in(fullname, load)

    def _is_foreign(self, leaf: str, path: Sequence[str]) -> bool:
        return not leaf.startswith("_") and not has_module_file(leaf, path)

    @staticmethod
    def _inside(fullname: str, name: str) -> ModuleSpec | None:
        """Return the spec of a submodule of a module that another package provides."""
        from importlib.util import find_spec  # which `import opforge` can do without

        return (
            None
            if find_spec(name) is None
            else standing_in(fullname, lambda: _import_foreign(name))
        )


def has_module_file(name: str, path: Iterable[str]) -> bool:
    """Return whether a folder of `path` has a file for the module `name`."""
    return any(_has_file(folder, name) for folder in path)


def _has_file(folder: str, name: str) -> bool:
    names = _listing(folder)
    if not names.isdisjoint([name + suffix for suffix in _SUFFIXES]):
        return True
    # A folder without Python files is not a module: it is left over from another version.
    return name in names and os.path.isfile(os.path.join(folder, name, "__init__.py"))


@cache
def _listing(folder: str) -> frozenset[str]:
    # Every import within the package comes here, and its files do not change while it is in use:
    # a listing of each folder is faster than asking the import system a second time.
    return frozenset(os.listdir(folder)) if os.path.isdir(folder) else frozenset()


def _import_foreign(name: str) -> ModuleType:
    __import__(name)
    return sys.modules[name]
