"""Image list files, and checks that the paths in them stay below a folder."""

import math
import os
from collections.abc import Iterator
from pathlib import Path

from opforge.plugin_api import OpforgeError

__all__ = ["check_entry", "path_below", "read_list"]


def read_list(path: str | os.PathLike[str]) -> Iterator[tuple[int, list[float], str]]:
    r"""Yield key, labels and relative path of each line of a list, skipping empty lines.

    Parameters
    ----------
    path : path-like

    Raises
    ------
    OpforgeError
        A line is damaged; the message names file and line.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "a.lst"
    >>> _ = path.write_text("7\t1.0\t2.0\tcats/tom.jpg\n")
    >>> list(read_list(path))
    [(7, [1.0, 2.0], 'cats/tom.jpg')]
    """
    with open(path, "rb") as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            try:
                yield _parse_line(line)
            except ValueError as error:
                raise OpforgeError(
                    f"line {number} of {os.fspath(path)} is "
                    f"{line[:80].decode('utf-8', 'backslashreplace')!r}; expected a key, at least "
                    f"one label and a path, separated by tabs ({error}). Fix or remove the line, "
                    "or recreate the list with im2rec --list"
                ) from error


def _parse_line(line: bytes) -> tuple[int, list[float], str]:
    key, *labels, name = line.decode("utf-8").strip("\r\n").split("\t")
    if not labels:
        raise ValueError("no label")
    if not name.strip() or "\0" in name:
        raise ValueError("no valid path")
    values = [float(label) for label in labels]
    if not all(map(math.isfinite, values)):
        raise ValueError("a label is not finite")
    return int(key), values, name.strip()


def check_entry(root: str | os.PathLike[str], name: str, remedy: str) -> None:
    """Raise unless a path in a list, as written, stays below a folder.

    Parameters
    ----------
    root : path-like
    name : str
    remedy : str
        Instruction that allows the path, for the error.

    Raises
    ------
    OpforgeError
        The path is absolute and outside the folder, or leaves it by ``..``.
    """
    top = os.path.abspath(root)
    _expect_below(top, os.path.abspath(os.path.join(top, name)), root, name, remedy)


def path_below(root: str | os.PathLike[str], name: str, remedy: str) -> Path:
    """Return the path of a list entry, or raise if it is outside a folder.

    Parameters
    ----------
    root, name, remedy
        As for `check_entry`.

    Raises
    ------
    OpforgeError
        The path leaves the folder as written, or by a symbolic link.
    """
    check_entry(root, name, remedy)
    path = os.path.join(root, name)
    _expect_below(os.path.realpath(root), os.path.realpath(path), root, name, remedy)
    return Path(path)


def _expect_below(
    top: str, path: str, root: str | os.PathLike[str], name: str, remedy: str
) -> None:
    if path != top and not path.startswith(os.path.join(top, "")):
        raise OpforgeError(
            f"the list's path {name!r} leaves the folder {os.fspath(root)}: it is {path}; expected "
            f"a path below {top}. If you trust the list, {remedy}"
        )
