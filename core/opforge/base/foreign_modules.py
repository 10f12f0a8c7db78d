"""Modules of other packages under names of this one: the finder behind ``import opforge.image``.

What is below such a module is found below the real one, so that ``opforge.image.detection`` and
``opforge_image.image.detection`` are one object. A package's own files go before.
"""

import sys
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

__all__ = ["ForeignModules", "standing_in"]

#: Names that are remembered at most; a program may ask for any number.
MAX_NAMES = 1000


def standing_in(name: str, find: Callable[[], ModuleType], is_package: bool = False) -> ModuleSpec:
    """Return the spec by which importing `name` gives the module that ``find()`` returns."""
    # No subclass of importlib.abc.Loader, whose import takes longer than the rest of this one's.
    loader: Any = _StandIn(find)
    return ModuleSpec(name, loader, is_package=is_package)


class _StandIn:
    """A loader that puts a module that is there in the place of the one to be loaded.

    Parameters
    ----------
    find : callable
        ``find()`` returns the module.
    """

    def __init__(self, find: Callable[[], ModuleType]) -> None:
        self._find = find

    def create_module(self, spec: ModuleSpec) -> None:
        """Let the import system make an empty module, which nobody gets to see."""

    def exec_module(self, module: ModuleType) -> None:
        """Put the real module in the place of the empty one."""
        # The import system hands on what stands here afterwards.
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
    """A finder of modules that others bring for one package.

    Parameters
    ----------
    package : str
    path : sequence of str
        The package's ``__path__``.
    find : callable
        ``find(name)`` returns the function that gives the module ``package.name``, or None where
        nobody brings it; it may raise an ImportError that says what to do.
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
        # The files of a package do not change while it is in use.
        self._foreign: dict[str, bool] = {}

    def is_foreign(self, name: str) -> bool:
        """Tell whether others may bring a name: the package has no file for it."""
        if name.startswith("_"):
            return False
        found = self._foreign.get(name)
        if found is None:
            spec = PathFinder.find_spec(f"{self._package}.{name}", self._path)
            # A folder without Python files is not a module: it is left over from another version.
            found = spec is None or spec.origin is None
            if len(self._foreign) < MAX_NAMES:
                self._foreign[name] = found
        return found

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the spec of a module that somebody else brings."""
        package, _, name = fullname.partition(".")
        if package != self._package or not name:
            return None
        if "." in name:
            return self._inside(fullname)
        load = self._find(name) if self.is_foreign(name) else None
        return None if load is None else standing_in(fullname, load)

    def _inside(self, fullname: str) -> ModuleSpec | None:
        """Return the spec of what lies below a module that another package brings."""
        from importlib.util import find_spec  # which `import opforge` can do without

        parent, _, leaf = fullname.rpartition(".")
        real = sys.modules[parent].__name__
        name = f"{real}.{leaf}"
        if real.partition(".")[0] == self._package or find_spec(name) is None:
            return None
        return standing_in(fullname, lambda: _imported(name))


def _imported(name: str) -> ModuleType:
    __import__(name)
    return sys.modules[name]
