"""`LabelledImages`, the base of data sets that hold all images and labels in memory."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from .... import ndarray as nd
from ....base import config
from ..dataset import ArrayDataset, Dataset, gather

__all__ = ["LabelledImages"]


class LabelledImages(Dataset):
    """Images and their labels, as a sample ``(image, label)``.

    A subclass defines `_read`, which returns both for training or for testing.

    Parameters
    ----------
    root : path-like, default ``~/.opforge/datasets/NAME``
        Folder with the files. `OPFORGE_HOME` moves the default.
    train : bool, default True
        The training set; otherwise the test set.
    transform : callable, optional
        ``transform(image, label)`` makes the sample; called whenever one is read.
    """

    _folder: ClassVar[str]

    def __init__(
        self,
        root: str | os.PathLike[str] | None = None,
        train: bool = True,
        transform: Callable[[Any, Any], Any] | None = None,
    ) -> None:
        self._root = Path(root).expanduser() if root is not None else self._default_root()
        self._train = train
        self._transform = transform
        images_nhwc, labels_n = self._read()
        self._data = nd.array(images_nhwc, dtype="uint8")
        self._label = labels_n.astype(np.int32)

    def __len__(self) -> int:
        return len(self._label)

    def __getitem__(self, idx: int) -> Any:
        if self._transform is not None:
            return self._transform(self._data[idx], self._label[idx])
        return self._data[idx], self._label[idx]

    def _gather(self, indices: Sequence[int]) -> Any:
        if self._transform is not None:
            return None
        return gather(ArrayDataset(self._data, self._label), indices)

    def _read(self) -> tuple[np.ndarray, np.ndarray]:
        """Return images (n, height, width, channels) of uint8, and labels (n,)."""
        raise NotImplementedError(f"{type(self).__name__} must define _read(self)")

    @classmethod
    def _default_root(cls) -> Path:
        return Path(config.get("OPFORGE_HOME")).expanduser() / "datasets" / cls._folder
