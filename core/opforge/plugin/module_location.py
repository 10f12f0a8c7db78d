"""Location of a module's source file, found without importing the module or its packages."""

import sys
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import find_spec
from pathlib import Path

__all__ = ["SearchFolders", "locate"]

#: Folders to look in instead of `sys.path`.
SearchFolders = tuple[str, ...] | None
#: Specs by module and searched folders. Failed searches are repeated: the module may have been
#: installed in the meantime.
_FOUND: dict[tuple[str, tuple[str, ...]], ModuleSpec] = {}


def locate(module: str, folders: SearchFolders = None) -> Path | None:
    """Return the source file of a module.

    Parameters
    ----------
    module : str
    folders : tuple of str, optional
        Folders to look in instead of `sys.path`.
    """
    try:
        spec = _spec(module, folders)
    except (ImportError, ValueError, AttributeError):
        return None
    origin = None if spec is None else spec.origin
    return Path(origin) if origin and origin.endswith(".py") else None


def _spec(module: str, folders: SearchFolders) -> ModuleSpec | None:
    key = module, tuple(sys.path) if folders is None else folders
    found = _FOUND.get(key)
    if found is None:
        found = _look_for(module, folders)
        if found is not None:
            _FOUND[key] = found
    return found


def _look_for(module: str, folders: SearchFolders) -> ModuleSpec | None:
    package = module.rpartition(".")[0]
    if package:
        around = _spec(package, folders)
        inside = None if around is None else around.submodule_search_locations
        return None if inside is None else PathFinder.find_spec(module, list(inside))
    # A module without a dot has no package that would be imported to find it.
    return find_spec(module) if folders is None else PathFinder.find_spec(module, list(folders))
