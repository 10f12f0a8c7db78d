"""Which headers a module is compiled from, so that a header's change rebuilds no others.

Cython knows the headers that a `.pyx` and the `.pxd` files it cimports name; what those headers
include themselves is read here.
"""

import re
from collections.abc import Iterable
from pathlib import Path

__all__ = ["with_included"]

_INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)


def with_included(files: Iterable[Path], folders: Iterable[Path]) -> list[Path]:
    """Return the headers among `files` and all that any of the files include, sorted.

    Parameters
    ----------
    files : iterable of Path
        Headers, and sources with `#include "..."` of their own.
    folders : iterable of Path
        Where headers lie, as the compiler searches them. What is in none is the system's.
    """
    folders = list(folders)
    waiting, found = list(files), set()
    while waiting:
        path = waiting.pop()
        if path in found:
            continue
        found.add(path)
        for name in _INCLUDE.findall(path.read_text()):
            places = (folder / name for folder in (path.parent, *folders))
            waiting += [place for place in places if place.is_file()][:1]
    return sorted(path for path in found if path.suffix in {".h", ".hpp"})
