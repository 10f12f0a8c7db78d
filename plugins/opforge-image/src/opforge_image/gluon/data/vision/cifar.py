"""CIFAR-10 and CIFAR-100 from their binary files in a folder, downloaded if they are missing.

A file consists of fixed-size records: one-byte labels, then the red, green and blue planes.
"""

import os
import tarfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any, ClassVar, cast

import numpy as np

from opforge.plugin_api import OpforgeError, downloading, files, unpacking

from .labeled_images import LabeledImages

__all__ = ["CIFAR10", "CIFAR100"]

_PIXELS = 3 * 32 * 32


class CIFAR10(LabeledImages):
    """Photographs in ten classes, 50000 for training and 10000 for testing.

    A sample is an image, an NDArray of shape (32, 32, 3) and dtype uint8, and its label, an
    ``np.int32`` in [0, 10).

    Parameters
    ----------
    root : path-like, default ``~/.opforge/datasets/cifar10``
        Folder with the files ``data_batch_1.bin`` to ``data_batch_5.bin`` and ``test_batch.bin``,
        or with the archive ``cifar-10-binary.tar.gz`` or its folder ``cifar-10-batches-bin``. The
        archive is downloaded if all are missing. `OPFORGE_HOME` changes the default.
    train : bool, default True
        Load the training set; otherwise the test set.
    transform : callable, optional
        ``transform(image, label)`` returns the sample; called on each access.

    Raises
    ------
    OpforgeError
        A file is missing and cannot be downloaded, or is damaged; the message names it.
    """

    _folder = "cifar10"
    _archive: ClassVar[str] = "cifar-10-binary.tar.gz"
    _sha1: ClassVar[str] = "fab780a1e191a7eda0f345501ccd62d20f7ed891"
    _inner: ClassVar[str] = "cifar-10-batches-bin"
    _files: ClassVar[dict[bool, tuple[str, ...]]] = {
        True: tuple(f"data_batch_{i}.bin" for i in range(1, 6)),
        False: ("test_batch.bin",),
    }
    #: Number of images in the largest file.
    _max_images: ClassVar[int] = 10_000
    _label_bytes: ClassVar[int] = 1
    _label_offset: int = 0

    def _read(self) -> tuple[np.ndarray, np.ndarray]:
        size = self._label_bytes + _PIXELS
        parts = []
        for name in self._files[self._train]:
            path = self._file(name)
            content = np.fromfile(path, np.uint8)
            if not len(content) or len(content) % size:
                raise OpforgeError(
                    f"{path} has {len(content)} bytes; expected a multiple of {size}, the size of "
                    "a record. Replace it with an intact file"
                )
            parts.append(content.reshape(-1, size))
        records = np.concatenate(parts)
        images_nchw = records[:, self._label_bytes :].reshape(-1, 3, 32, 32)
        return images_nchw.transpose(0, 2, 3, 1), records[:, self._label_offset]

    def _file(self, name: str) -> Path:
        for candidate in (self._root / name, self._root / self._inner / name):
            if candidate.exists():
                return candidate
        archive = self._root / self._archive
        if not archive.exists():
            url = downloading.repository_url(f"gluon/dataset/{self._folder}", self._archive)
            advice = ", or pass root=FOLDER with a folder that has it"
            downloading.fetch(url, archive, self._sha1, advice=advice)
        return self._unpacked(archive, name)

    def _unpacked(self, archive: Path, name: str) -> Path:
        """Extract one file from the archive, from whichever folder it is in."""
        limit = self._max_images * (self._label_bytes + _PIXELS)
        remedy = f"delete it to have it downloaded again, or put {name} into {self._root}"
        try:
            with unpacking.open_tar(archive, 8 * limit, remedy) as tar:
                for member in tar:
                    if member.isfile() and Path(member.name).name == name:
                        # Not extract(): it has no filter before Python 3.11.4.
                        unpacking.check_unpacked(archive, member.size, limit, remedy, name)
                        content = cast(IO[bytes], tar.extractfile(member))
                        with files.replacing(self._root / name) as file:
                            unpacking.copy_unpacked(content, file, archive, limit, remedy, name)
                        return self._root / name
        except (tarfile.TarError, EOFError, OSError, zlib.error) as error:
            raise OpforgeError(
                f"{archive} is damaged ({error}). Delete it to have it downloaded again"
            ) from error
        raise OpforgeError(f"{archive} has no file {name}. Delete it to have it downloaded again")


class CIFAR100(CIFAR10):
    """Photographs in 100 classes in 20 groups, 50000 for training and 10000 for testing.

    Parameters
    ----------
    root : path-like, default ``~/.opforge/datasets/cifar100``
        Folder with the files ``train.bin`` and ``test.bin``, or with the archive
        ``cifar-100-binary.tar.gz`` or its folder ``cifar-100-binary``.
    fine_label : bool, default False
        Use the class as label, in [0, 100); otherwise the group, in [0, 20).
    train, transform
        See `CIFAR10`.

    Raises
    ------
    OpforgeError
        See `CIFAR10`.
    """

    _folder = "cifar100"
    _archive = "cifar-100-binary.tar.gz"
    _sha1 = "a0bb982c76b83111308126cc779a992fa506b90b"
    _inner = "cifar-100-binary"
    _files: ClassVar[dict[bool, tuple[str, ...]]] = {True: ("train.bin",), False: ("test.bin",)}
    _max_images = 50_000
    _label_bytes = 2

    def __init__(
        self,
        root: str | os.PathLike[str] | None = None,
        fine_label: bool = False,
        train: bool = True,
        transform: Callable[[Any, Any], Any] | None = None,
    ) -> None:
        self._label_offset = int(fine_label)
        super().__init__(root, train, transform)
