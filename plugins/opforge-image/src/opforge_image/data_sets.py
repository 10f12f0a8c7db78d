"""Data sets of record and image files for ``gluon.data`` and ``gluon.data.vision``."""

import os
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from opforge.plugin_api import Dataset, OpforgeError

from .image import imdecode, imread
from .recordio import MXIndexedRecordIO, unpack

__all__ = ["ImageFolderDataset", "ImageRecordDataset", "RecordFileDataset"]

_SUFFIXES = (".jpg", ".jpeg", ".png")


class RecordFileDataset(Dataset):
    """Records of a file as bytes.

    Workers and threads of a `DataLoader` may share a data set.

    Parameters
    ----------
    filename : path-like
        Record file; its index has the same name with suffix ``.idx``.

    Raises
    ------
    FileNotFoundError
        The file or its index is missing.
    OpforgeError
        The index is damaged.
    """

    def __init__(self, filename: str | os.PathLike[str]) -> None:
        self.filename = os.fspath(filename)
        self.idx_file = os.path.splitext(self.filename)[0] + ".idx"
        self._record = MXIndexedRecordIO(self.idx_file, self.filename, "r")

    def __getitem__(self, idx: int) -> Any:
        return self._record.read_idx(self._record.keys[idx])

    def __len__(self) -> int:
        return len(self._record.keys)


class ImageRecordDataset(RecordFileDataset):
    """Images of a record file with their labels.

    A sample is an NDArray of shape (height, width, channels) and dtype uint8, red first, and a
    label, which is a float or an array of floats.

    Parameters
    ----------
    filename : path-like
        Record file; its index has the same name with suffix ``.idx``.
    flag : {0, 1}, default 1
        0: gray, 1: red, green and blue.
    transform : callable, optional
        ``transform(image, label)`` returns the sample; called at each access.
    """

    def __init__(
        self,
        filename: str | os.PathLike[str],
        flag: int = 1,
        transform: Callable[[Any, Any], Any] | None = None,
    ) -> None:
        super().__init__(filename)
        self._flag = flag
        self._transform = transform

    def __getitem__(self, idx: int) -> Any:
        record = super().__getitem__(idx)
        try:
            header, content = unpack(record)
            image = imdecode(content, self._flag)
        except OpforgeError as error:
            key = self._record.keys[idx]
            raise OpforgeError(f"record {key} of {self.filename}: {error}") from error
        if self._transform is not None:
            return self._transform(image, header.label)
        return image, header.label


class ImageFolderDataset(Dataset):
    """Images in the subfolders of a folder, each of which is a label.

    Parameters
    ----------
    root : path-like
    flag : {0, 1}, default 1
        0: gray, 1: red, green and blue.
    transform : callable, optional
        ``transform(image, label)`` returns the sample; called at each access.

    Attributes
    ----------
    synsets : list of str
        Names of the folders, in order: ``synsets[label]``.
    items : list of (str, int)
        Path and label of each image. Entries that are not folders, and files in folders that are
        not JPEGs or PNGs, are skipped with a warning.
    """

    def __init__(
        self,
        root: str | os.PathLike[str],
        flag: int = 1,
        transform: Callable[[Any, Any], Any] | None = None,
    ) -> None:
        self._root = Path(root).expanduser()
        self._flag = flag
        self._transform = transform
        folders = [path for path in sorted(self._root.iterdir()) if _accept(path, path.is_dir())]
        self.synsets = [folder.name for folder in folders]
        self.items = [
            (os.fspath(path), label)
            for label, folder in enumerate(folders)
            for path in sorted(folder.iterdir())
            if _accept(path, path.suffix.lower() in _SUFFIXES)
        ]

    def __getitem__(self, idx: int) -> Any:
        path, label = self.items[idx]
        image = imread(path, self._flag)
        return (image, label) if self._transform is None else self._transform(image, label)

    def __len__(self) -> int:
        return len(self.items)


def _accept(path: Path, fits: bool) -> bool:
    if not fits:
        warnings.warn(
            f"ImageFolderDataset: skipped {path}; expected folders of images whose names end with "
            f"one of {_SUFFIXES}",
            stacklevel=4,
        )
    return fits
