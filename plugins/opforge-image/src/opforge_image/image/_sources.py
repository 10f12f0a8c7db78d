"""Sources of samples for iterators: a record file, a list, or a list of files in a folder.

A source returns label and encoded image by key. Its `keys` are None if it supports only sequential
reading.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from opforge.plugin_api import OpforgeError

from ..lists import check_entry, path_below, read_list
from ..recordio import MXIndexedRecordIO, MXRecordIO, unpack

__all__ = ["ImageList", "RecordFile", "entries_from_file", "entries_from_list"]

_REMEDY = "pass allow_outside_root=True"
#: Key -> labels and path.
Entries = dict[Any, tuple[np.ndarray, str]]


def entries_from_file(path: str | os.PathLike[str], dtype: Any) -> Entries:
    """Return the entries of a list file.

    Raises
    ------
    OpforgeError
        A line is damaged; the message names file and line.
    """
    return {
        key: (_labels(f"key {key} of {os.fspath(path)}", labels, dtype), name)
        for key, labels, name in read_list(path)
    }


def entries_from_list(images: list[Any], dtype: Any) -> Entries:
    """Return the entries of a list in memory, each one or more labels and a path.

    Raises
    ------
    OpforgeError
        An entry has no label or path, or its labels are not numbers.
    """
    entries: Entries = {}
    for position, entry in enumerate(images):
        if not isinstance(entry, Sequence) or len(entry) < 2:
            raise OpforgeError(
                f"imglist[{position}] is {entry!r:.80}; expected one or more labels and a path"
            )
        *labels, path = entry
        if not isinstance(path, (str, os.PathLike)):
            raise OpforgeError(
                f"imglist[{position}] ends with {path!r:.80}; expected the path of an image"
            )
        flat = labels if len(labels) > 1 else labels[0]
        array = np.atleast_1d(_labels(f"imglist[{position}]", flat, dtype))
        entries[str(position + 1)] = array, os.fspath(path)
    return entries


def _labels(where: str, labels: Any, dtype: Any) -> np.ndarray:
    try:
        # Check the range in float64, since NumPy only warns about integer overflow.
        values = np.asarray(labels, np.float64)
        if np.asarray(labels).dtype == object:
            raise ValueError("there are objects among them")
        if np.issubdtype(dtype, np.integer):
            info = np.iinfo(dtype)
            if not ((values >= info.min) & (values <= info.max)).all():
                raise ValueError(f"{dtype} holds {info.min} to {info.max}")
        return np.asarray(labels).astype(dtype)
    except (ValueError, TypeError, OverflowError) as error:
        raise OpforgeError(
            f"{where}: the labels are {labels!r:.80}; expected numbers of type {dtype} ({error})"
        ) from error


class ImageList:
    """Image files with labels.

    Parameters
    ----------
    entries : dict
        Key -> labels and path.
    root : path-like, optional
        Folder that paths are relative to. If None or empty, the current folder, and paths are
        unrestricted.
    allow_outside_root : bool, default False
        Accept paths that leave `root`.

    Raises
    ------
    OpforgeError
        A path leaves `root`.
    """

    def __init__(
        self, entries: Entries, root: Any = None, allow_outside_root: bool = False
    ) -> None:
        self.entries = entries
        self.root = Path(root or "")
        self._bounded = bool(root) and not allow_outside_root
        if self._bounded:
            for _, path in entries.values():
                check_entry(self.root, path, _REMEDY)
        self.keys: list[Any] | None = list(entries)

    def read(self, key: Any) -> tuple[Any, bytes]:
        """Return labels and bytes of an image."""
        labels, path = self.entries[key]
        return labels, self.read_image(path)

    def read_image(self, path: str) -> bytes:
        """Return the bytes of a file below the folder.

        Raises
        ------
        OpforgeError
            The path leaves the folder.
        """
        where = path_below(self.root, path, _REMEDY) if self._bounded else self.root / path
        return where.read_bytes()

    def describe(self, key: Any) -> str:
        """Return a description of an image for errors."""
        return f"filename: {self.entries[key][1]}"

    def reset(self) -> None:
        """Do nothing, since there is no position."""


class RecordFile:
    """Record file of images.

    Parameters
    ----------
    path : path-like
    index : path-like, optional
        Index file; without it, the file is read in sequence.
    entries : dict, optional
        Labels that take precedence over those in the file.
    """

    def __init__(self, path: Any, index: Any = None, entries: Entries | None = None) -> None:
        self.entries, self.path = entries, os.fspath(path)
        # Number of the last record read since reset().
        self._position = -1
        self.file: Any
        self.keys: list[Any] | None
        if index:
            self.file = MXIndexedRecordIO(index, path, "r")
            self.keys = list(self.file.keys)
        else:
            self.file, self.keys = MXRecordIO(path, "r"), None

    def read(self, key: Any) -> tuple[Any, bytes]:
        """Return labels and bytes of an image, or of the next one if `key` is None.

        Raises
        ------
        StopIteration
            The end of the file is reached.
        OpforgeError
            The record is damaged, or the list has no labels for it.
        """
        record = self.file.read() if key is None else self.file.read_idx(key)
        if record is None:
            raise StopIteration
        self._position += 1
        try:
            header, image = unpack(record)
        except OpforgeError as error:
            where = f"record {self._position} (the first is 0)" if key is None else f"key {key}"
            raise OpforgeError(f"{where} of {self.path}: {error}") from error
        if self.entries is not None and key is not None:
            if key not in self.entries:
                raise OpforgeError(
                    f"key {key} of {self.path} has no line in the image list; add one, or omit the "
                    "list to use the labels of the records"
                )
            return self.entries[key][0], image
        return header.label, image

    def describe(self, key: Any) -> str:
        """Return a description of an image for errors."""
        return f"index: {key}"

    def reset(self) -> None:
        """Return to the first record."""
        self.file.reset()
        self._position = -1
