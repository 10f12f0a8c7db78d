"""`LabeledImages`, the base of data sets with all images and labels in memory."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from opforge.plugin_api import Dataset, data, downloading, numpy_semantics
from opforge.plugin_api import F as nd

__all__ = ["LabeledImages"]


class LabeledImages(Dataset):
    """Data set of images and their labels, with samples ``(image, label)``.

    A subclass defines `_read`, which returns the images and labels for training or testing.

    Parameters
    ----------
    root : path-like, default ``~/.opforge/datasets/NAME``
        Folder with the files. `OPFORGE_HOME` changes the default.
    train : bool, default True
        Load the training set; otherwise the test set.
    transform : callable, optional
        ``transform(image, label)`` returns the sample; called on each access.
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
        image, label = self._data[idx], self._label[idx]
        if numpy_semantics.is_np_array():
            image = image.as_np_ndarray()
            label = nd.array(label, dtype="int32").as_np_ndarray()
        return (image, label) if self._transform is None else self._transform(image, label)

    def _gather(self, indices: Sequence[int]) -> Any:
        if self._transform is not None:
            return None
        return data.ArrayDataset(self._data, self._label)._gather(indices)

    def _read(self) -> tuple[np.ndarray, np.ndarray]:
        """Return images (n, height, width, channels) of uint8, and labels (n,)."""
        raise NotImplementedError(f"{type(self).__name__} must define _read(self)")

    @classmethod
    def _default_root(cls) -> Path:
        return downloading.home_folder("datasets", cls._folder)
