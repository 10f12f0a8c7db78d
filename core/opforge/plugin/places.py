"""Location of a module's source, found without importing it or its packages."""

import sys
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import find_spec
from pathlib import Path

__all__ = ["Places", "locate"]

#: Folders to look in instead of `sys.path`.
Places = tuple[str, ...] | None
#: What was found, by module and by the folders that were looked in. What was not found is looked
#: for again: it may be installed meanwhile.
_FOUND: dict[tuple[str, tuple[str, ...]], ModuleSpec] = {}


def locate(module: str, places: Places = None) -> Path | None:
    """Return the source file of a module.

    Parameters
    ----------
    module : str
    places : tuple of str, optional
        Folders to look in instead of `sys.path`.
    """
    try:
        spec = _spec(module, places)
    except (ImportError, ValueError, AttributeError):
        return None
    origin = None if spec is None else spec.origin
    return Path(origin) if origin and origin.endswith(".py") else None


def _spec(module: str, places: Places) -> ModuleSpec | None:
    key = module, tuple(sys.path) if places is None else places
    found = _FOUND.get(key)
    if found is None:
        found = _look_for(module, places)
        if found is not None:
            _FOUND[key] = found
    return found


def _look_for(module: str, places: Places) -> ModuleSpec | None:
    package = module.rpartition(".")[0]
    if package:
        around = _spec(package, places)
        inside = None if around is None else around.submodule_search_locations
        return None if inside is None else PathFinder.find_spec(module, list(inside))
    # A module without a dot has no package that would be imported to find it.
    return find_spec(module) if places is None else PathFinder.find_spec(module, list(places))
