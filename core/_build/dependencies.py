"""Files that a native module is made from, so that a change rebuilds the modules it concerns.

Cython finds these itself, but only compares time stamps: a fresh checkout, or an isolated build
environment with its own copy of NumPy's `.pxd` files, would then translate everything again.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

__all__ = ["dependencies"]

_INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
_EXTERN = re.compile(r'^\s*cdef\s+extern\s+from\s+"([^"]+)"|^\s*include\s+"([^"]+)"', re.MULTILINE)
_CIMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]+(?P<origin>[\w.]+)[ \t]+cimport[ \t]+(?P<names>\([^)]*\)|[^#\n]*)"
    r"|cimport[ \t]+(?P<modules>[^#\n]+))",
    re.MULTILINE,
)
_CYTHON = {".pyx", ".pxd", ".pxi"}
_HEADERS = {".h", ".hpp"}


def dependencies(
    source: Path, folders: Iterable[Path], roots: Iterable[Path]
) -> tuple[list[Path], list[Path]]:
    """Return the Cython files and the headers that `source` depends on, each sorted.

    Parameters
    ----------
    source : Path
        A `.pyx` or header, which is part of the result.
    folders : iterable of Path
        Include folders, in the compiler's order. Headers found in none of them are ignored.
    roots : iterable of Path
        Folders of top-level packages. Modules found in none of them are ignored.
    """
    search = (tuple(folders), tuple(roots))
    pending, found = [source], set()
    while pending:
        path = pending.pop()
        if path not in found:
            found.add(path)
            pending += _direct(path, *search)
    ordered = sorted(found)
    return (
        [path for path in ordered if path.suffix in _CYTHON],
        [path for path in ordered if path.suffix in _HEADERS],
    )


@cache
def _direct(path: Path, folders: tuple[Path, ...], roots: tuple[Path, ...]) -> list[Path]:
    """Return the files that `path` names itself."""
    text = path.read_text(encoding="utf-8")
    included = _INCLUDE.findall(text)
    found: list[Path] = []
    if path.suffix in _CYTHON:
        included += [first or second for first, second in _EXTERN.findall(text)]
        own = path.with_suffix(".pxd")
        found += [own] if own.is_file() else []
        for module in _cimports(text, path, roots):
            parts = module.replace(".", "/")
            names = (f"{parts}.pxd", f"{parts}/__init__.pxd")
            found += _first(root / name for name in names for root in roots)
    for name in included:
        found += _first(folder / name for folder in (path.parent, *folders))
    return found


def _cimports(text: str, path: Path, roots: tuple[Path, ...]) -> Iterator[str]:
    """Yield the names of modules that a file cimports, and of some that do not exist."""
    for match in _CIMPORT.finditer(text):
        for module in (match["modules"] or "").split(","):
            yield module.split(" as ")[0].strip()
        if match["origin"]:
            origin = _absolute(match["origin"], path, roots)
            yield origin
            for name in match["names"].strip("()").split(","):
                yield f"{origin}.{name.split(' as ')[0].strip()}"


def _absolute(origin: str, path: Path, roots: tuple[Path, ...]) -> str:
    """Return the name of the module in ``from origin cimport``, which may be relative."""
    dots = len(origin) - len(origin.lstrip("."))
    if not dots:
        return origin
    root = next(root for root in roots if path.is_relative_to(root))
    package = path.relative_to(root).parts[:-dots]
    return ".".join((*package, origin[dots:])).rstrip(".")


def _first(candidates: Iterable[Path]) -> list[Path]:
    """Return the first candidate that exists, in a list."""
    return next(([path] for path in candidates if path.is_file()), [])
