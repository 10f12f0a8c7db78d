"""`MetadataFolder`: metadata of an installed distribution, read without `importlib.metadata`.

Importing `importlib.metadata` takes longer than reading the metadata of 200 distributions. It is
still used for everything unusual: other finders, archives, eggs, and files of another form than the
usual one. What is found, and the errors, are thus Python's own.
"""

import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from importlib.machinery import PathFinder
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from importlib.metadata import Distribution, PackageMetadata

__all__ = ["MetadataFolder", "distributions"]

#: Fields of METADATA up to the first empty line; a line that begins with a space continues a field.
_FIELDS = re.compile(r"(?:[\w-]+:.*\n(?:[ \t].*\n)*)+(?=\n|\Z)", re.ASCII)
#: The two fields that discovery uses, on one line.
_OWNER = re.compile(r"^(Name|Version):[ \t]*(.*)\n(?![ \t])", re.ASCII | re.MULTILINE)


class _EntryPoint(NamedTuple):
    """Entry point with the fields of Python's."""

    group: str
    name: str
    value: str


class MetadataFolder:
    """Metadata folder with the part of the interface of Python's `Distribution` that is used here.

    Parameters
    ----------
    path : str
        The folder, such as ``site-packages/acme-1.0.dist-info``.
    """

    __slots__ = ("_path",)

    def __init__(self, path: str) -> None:
        self._path = path

    def __str__(self) -> str:
        return self._path

    def read_text(self, name: str) -> str | None:
        """Return the contents of a file; None if it is missing or cannot be opened."""
        try:
            with open(os.path.join(self._path, name), encoding="utf-8") as file:
                return file.read()
        except (FileNotFoundError, IsADirectoryError, NotADirectoryError, PermissionError):
            return None

    def locate_file(self, name: str) -> str:
        """Return the path of a file that RECORD lists."""
        return os.path.join(os.path.dirname(self._path), name)

    @property
    def entry_points(self) -> Iterable[Any]:
        """The entry points."""
        try:
            return _entry_points(self.read_text("entry_points.txt") or "")
        except ValueError:
            return self._standard().entry_points

    @property
    def metadata(self) -> "Mapping[str, str] | PackageMetadata":
        """The fields ``Name`` and ``Version``."""
        try:
            text = self.read_text("METADATA") or ""
        except ValueError:
            text = ""
        fields = _FIELDS.match(text)
        found = _OWNER.findall(fields[0]) if fields is not None else []
        if sorted(key for key, _ in found) == ["Name", "Version"]:
            return dict(found)
        return self._standard().metadata

    def _standard(self) -> "Distribution":
        """Return the distribution of `importlib.metadata`."""
        from importlib.metadata import Distribution

        return Distribution.at(self._path)


def distributions(folders: Iterable[str]) -> "Iterator[MetadataFolder | Distribution]":
    """Yield the distributions in folders, as `importlib.metadata.distributions` does.

    Parameters
    ----------
    folders : iterable of str
        As in `sys.path`.
    """
    is_usual = [f for f in sys.meta_path if hasattr(f, "find_distributions")] == [PathFinder]
    for folder in folders:
        names = _names(folder) if is_usual else None
        if names is None:
            # Imported here, because it takes longer than all of opforge's own modules.
            from importlib.metadata import distributions as standard

            yield from standard(path=[folder])
            continue
        for name in names:
            if name.lower().endswith((".dist-info", ".egg-info")):
                yield MetadataFolder(os.path.join(folder, name))


def _names(folder: str) -> list[str] | None:
    """Return the names in a folder; None for an archive or an egg, which have other rules."""
    if not isinstance(folder, str) or folder.lower().endswith(".egg"):
        return None
    try:
        return os.listdir(folder)
    except (OSError, ValueError):
        return None if os.path.isfile(folder) else []


def _entry_points(text: str) -> list[_EntryPoint]:
    """Return the entry points in the text of ``entry_points.txt``.

    Raises
    ------
    ValueError
        A line is neither a table nor an entry of one.
    """
    group = None
    found = []
    for line in map(str.strip, text.splitlines()):
        if line.startswith("[") and line.endswith("]"):
            group = line.strip("[]")
        elif line and not line.startswith("#"):
            name, value = line.split("=", 1)
            if group is None:
                raise ValueError(f"{line!r} is in no table")
            found.append(_EntryPoint(group, name.strip(), value.strip()))
    return found
