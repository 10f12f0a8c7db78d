"""Decide by content whether the result of a build step is up to date.

Each result has a file next to it with the fingerprint of all that it was made from. Unlike time
stamps, this survives a fresh checkout, a switch of branches and an isolated build environment.
"""

import hashlib
from collections.abc import Iterable
from functools import cache
from pathlib import Path

__all__ = ["fingerprint", "is_current", "mark_current"]


@cache
def _digest(path: Path) -> bytes:
    return hashlib.sha256(path.read_bytes()).digest()


def fingerprint(files: Iterable[Path], *facts: object) -> str:
    """Return a digest of the contents of `files` and of the `repr` of `facts`."""
    total = hashlib.sha256(repr(facts).encode())
    for path in files:
        total.update(path.as_posix().encode() + b"\0" + _digest(path))
    return total.hexdigest()


def is_current(result: Path, wanted: str) -> bool:
    """Return whether `result` exists and was made from inputs with the fingerprint `wanted`."""
    mark = _mark(result)
    return result.is_file() and mark.is_file() and mark.read_text() == wanted


def mark_current(result: Path, made_from: str) -> None:
    """Record the fingerprint of what `result` was made from."""
    _mark(result).write_text(made_from)


def _mark(result: Path) -> Path:
    return result.with_name(f"{result.name}.fingerprint")
