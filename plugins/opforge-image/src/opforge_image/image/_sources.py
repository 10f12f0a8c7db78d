"""Where iterators have their samples from: a record file, a list, or a list of files in a folder.

A source gives label and encoded picture by key, and knows all keys where it can be read in any
order.
"""

import os
from pathlib import Path
from typing import Any

import numpy as np

from ..recordio import MXIndexedRecordIO, MXRecordIO, unpack

__all__ = ["ImageList", "RecordFile", "read_list"]

#: Key -> labels and path.
Entries = dict[Any, tuple[np.ndarray, str]]


def read_list(path: str | os.PathLike[str], dtype: Any) -> Entries:
    """Return the entries of a list file: key, labels and path, with tabs between them.

    Raises
    ------
    ValueError
        A line is none of these; the message names it.
    """
    entries: Entries = {}
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            key, *labels, name = line.strip().split("\t") if line.count("\t") > 1 else ["", ""]
            if not line.strip():
                continue
            try:
                entries[int(key)] = np.array([float(label) for label in labels], dtype), name
            except ValueError as error:
                raise ValueError(
                    f"line {number} of {os.fspath(path)} is {line.rstrip()!r}, expected a key, "
                    "labels and a path with tabs between them"
                ) from error
    return entries


def entries_of(images: list[Any], dtype: Any) -> Entries:
    """Return the entries of a list in memory: labels, or a list of them, and a path each."""
    entries: Entries = {}
    for position, (*labels, path) in enumerate(images, 1):
        flat = labels if len(labels) > 1 else labels[0]
        entries[str(position)] = np.atleast_1d(np.asarray(flat, dtype)), path
    return entries


class ImageList:
    """Pictures in files, with labels.

    Parameters
    ----------
    entries : dict
        Key -> labels and path.
    root : path-like, optional
        Folder that paths begin from.
    """

    def __init__(self, entries: Entries, root: Any = None) -> None:
        self.entries = entries
        self.root = Path(root) if root is not None else Path()
        self.keys: list[Any] | None = list(entries)

    def read(self, key: Any) -> tuple[Any, bytes]:
        """Return labels and bytes of a picture."""
        labels, path = self.entries[key]
        return labels, self.read_image(path)

    def read_image(self, path: str) -> bytes:
        """Return the bytes of the file at a path below the folder."""
        return (self.root / path).read_bytes()

    def named(self, key: Any) -> str:
        """Return what errors call a picture."""
        return f"filename: {self.entries[key][1]}"

    def reset(self) -> None:
        """Nothing is read in order."""


class RecordFile:
    """Pictures in a record file.

    Parameters
    ----------
    path : path-like
    index : path-like, optional
        Its index file, without which it is read in order.
    entries : dict, optional
        Labels that go before those in the file.
    """

    def __init__(self, path: Any, index: Any = None, entries: Entries | None = None) -> None:
        self.entries = entries
        self.file: Any
        self.keys: list[Any] | None
        if index:
            self.file = MXIndexedRecordIO(index, path, "r")
            self.keys = list(self.file.keys)
        else:
            self.file, self.keys = MXRecordIO(path, "r"), None

    def read(self, key: Any) -> tuple[Any, bytes]:
        """Return labels and bytes of a picture; of the next one where `key` is None.

        Raises
        ------
        StopIteration
            There is no next one.
        """
        record = self.file.read() if key is None else self.file.read_idx(key)
        if record is None:
            raise StopIteration
        header, picture = unpack(record)
        if self.entries is not None and key is not None:
            return self.entries[key][0], picture
        return header.label, picture

    def named(self, key: Any) -> str:
        """Return what errors call a picture."""
        return f"index: {key}"

    def reset(self) -> None:
        """Begin at the first record."""
        self.file.reset()
