"""`ImageIter`: batches of augmented images from record files, lists and folders."""

import logging
import random
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from opforge.plugin_api import DataBatch, DataDesc, DataIter, F, OpforgeError, ShapeError

from ._augmentation import CreateAugmenter
from ._reading import imdecode
from ._sources import ImageList, RecordFile, entries_from_file, entries_from_list

__all__ = ["ImageIter"]

_LABEL_TYPES = ("int32", "float32", "int64", "float64")
_ENDS = ("pad", "discard", "roll_over")


class ImageIter(DataIter):
    """Read, augment and batch images.

    Parameters
    ----------
    batch_size : int
    data_shape : (3, int, int)
        Channels, height and width.
    label_width : int, default 1
        Number of labels per image.
    path_imgrec, path_imgidx : path-like, optional
        Record file and its index, which shuffling and parts require.
    path_imglist : path-like, optional
        List file with key, labels and path in each line, separated by tabs.
    path_root : path-like, optional
        Folder that paths are relative to and may not leave. Without it, paths are relative to the
        current folder and unrestricted.
    shuffle : bool, default False
        Shuffle in each epoch with Python's ``random``.
    part_index, num_parts : int, default 0 and 1
        Read one of `num_parts` equal parts.
    aug_list : list of Augmenter, optional
        Default: the result of `CreateAugmenter` for `data_shape` and `kwargs`.
    imglist : list, optional
        One or more labels and a path for each image, instead of a file.
    data_name, label_name : str
    dtype : str, default "float32"
        Type of labels.
    last_batch_handle : {"pad", "discard", "roll_over"}
        Fill an incomplete last batch with the first images, discard it, or keep it for the next
        epoch, where its `pad` is the number of images added.
    allow_outside_root : bool, default False
        Accept paths that leave `path_root`: absolute paths, ``..`` and symbolic links.
    **kwargs
        Arguments of `CreateAugmenter`.

    Raises
    ------
    OpforgeError
        A line of the list is damaged, or its path leaves `path_root`.
    ValueError
        No source of images is passed, or an argument is invalid.
    """

    def __init__(
        self,
        batch_size: int,
        data_shape: tuple[int, int, int],
        label_width: int = 1,
        path_imgrec: Any = None,
        path_imglist: Any = None,
        path_root: Any = None,
        path_imgidx: Any = None,
        shuffle: bool = False,
        part_index: int = 0,
        num_parts: int = 1,
        aug_list: list[Any] | None = None,
        imglist: list[Any] | None = None,
        data_name: str = "data",
        label_name: str = "softmax_label",
        dtype: str = "float32",
        last_batch_handle: str = "pad",
        *,
        allow_outside_root: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(batch_size)
        self._check("dtype", dtype, _LABEL_TYPES)
        self._check("last_batch_handle", last_batch_handle, _ENDS)
        self.check_data_shape(data_shape)
        self.data_shape = tuple(data_shape)
        self.label_width = label_width
        self.shuffle = shuffle
        self.last_batch_handle = last_batch_handle
        self.source = _source(
            path_imgrec, path_imgidx, path_imglist, path_root, imglist, dtype, allow_outside_root
        )
        self.seq = self._part(part_index, num_parts)
        if self.seq is None and shuffle:
            raise ValueError(
                f"{type(self).__name__}: shuffling a record file requires its index, path_imgidx"
            )
        self.provide_data = [DataDesc(data_name, (batch_size, *self.data_shape))]
        labels = (batch_size, label_width) if label_width > 1 else (batch_size,)
        self.provide_label = [DataDesc(label_name, labels)]
        if aug_list is None:
            aug_list = CreateAugmenter(data_shape, **kwargs)
        self.auglist: list[Any] = aug_list
        self.cur = 0
        self._is_done = False
        # Arrays and number of samples of an incomplete batch that rolls over.
        self._left: tuple[Any, Any, int] | None = None
        self.reset()

    def _check(self, name: str, value: Any, choices: Sequence[str]) -> None:
        if value not in choices:
            raise ValueError(
                f"{type(self).__name__}: {name} is {value!r}; expected one of {', '.join(choices)}"
            )

    def _part(self, part_index: int, num_parts: int) -> list[Any] | None:
        """Return the keys to read, or None if the file is read in sequence."""
        if not 0 <= part_index < num_parts:
            raise ValueError(
                f"{type(self).__name__}: part_index is {part_index}; expected 0 to "
                f"{num_parts - 1} because num_parts={num_parts}"
            )
        keys = self.source.keys
        if keys is None:
            if num_parts > 1:
                raise ValueError(
                    f"{type(self).__name__}: parts of a record file require its index, path_imgidx"
                )
            return None
        length = len(keys) // num_parts
        return keys[part_index * length : (part_index + 1) * length]

    @property
    def num_image(self) -> int | None:
        """Number of images per epoch, or None if unknown until all are read."""
        return None if self.seq is None else len(self.seq)

    @cached_property
    def imglist(self) -> dict[Any, tuple[Any, str]] | None:
        """Labels and path of each image by key, or None without a list."""
        if self.source.entries is None:
            return None
        return {
            key: (F.array(labels, dtype=labels.dtype), path)
            for key, (labels, path) in self.source.entries.items()
        }

    @property
    def imgrec(self) -> Any:
        """The record file, or None if images are files."""
        return self.source.file if isinstance(self.source, RecordFile) else None

    @property
    def path_root(self) -> str | None:
        """Folder of the images, or None if they are in a record file."""
        return str(self.source.root) if isinstance(self.source, ImageList) else None

    def reset(self) -> None:
        """Start an epoch with the samples that rolled over."""
        if self.last_batch_handle != "roll_over":
            self._left = None
        self._begin()

    def hard_reset(self) -> None:
        """Start an epoch without the samples that rolled over."""
        self._left = None
        self._begin()

    def _begin(self) -> None:
        if self.seq is not None and self.shuffle:
            random.shuffle(self.seq)
        self._rewind()
        self._is_done = False

    def _rewind(self) -> None:
        self.source.reset()
        self.cur = 0

    def next_sample(self) -> tuple[Any, bytes]:
        """Return labels and encoded bytes of the next image.

        Raises
        ------
        StopIteration
            The epoch has ended.
        """
        if self.seq is None:
            sample = self.source.read(None)
        elif self.cur < len(self.seq):
            sample = self.source.read(self.seq[self.cur])
        else:
            raise StopIteration
        self.cur += 1
        return sample

    def next(self) -> DataBatch:
        """Return the next batch.

        Raises
        ------
        StopIteration
            The epoch has ended.
        OpforgeError
            An image or record cannot be read; the message names it.
        """
        if self._is_done:
            raise StopIteration
        data, labels, rolled = self._left or (*self._new_batch(), 0)
        self._left = None
        filled = self._fill(data, labels, rolled)
        pad = self.batch_size - filled
        if pad:
            self._is_done = True
            if filled == 0 or self.last_batch_handle == "discard":
                raise StopIteration
            if self.last_batch_handle == "roll_over":
                self._left = data, labels, filled
                raise StopIteration
            self._repeat_first(data, labels, filled)
        elif rolled:
            pad = self.batch_size - rolled  # as in MXNet, the number of samples added
        return DataBatch(
            [F.array(data)],
            [F.array(labels, dtype=labels.dtype)],
            pad=pad,
            provide_data=self.provide_data,
            provide_label=self.provide_label,
        )

    def _new_batch(self) -> tuple[np.ndarray, np.ndarray]:
        data = np.zeros((self.batch_size, *self.data_shape), np.float32)
        return data, np.zeros(self.provide_label[0].shape, np.float32)

    def _repeat_first(self, data: np.ndarray, labels: np.ndarray, filled: int) -> None:
        """Fill a batch with the first images, repeatedly if there are few."""
        while filled < self.batch_size:
            self._rewind()
            more = self._fill(data, labels, filled)
            if more == filled:
                return
            filled = more

    def _fill(self, data: np.ndarray, labels: np.ndarray, filled: int) -> int:
        """Add samples to a batch and return its number of samples."""
        while filled < self.batch_size:
            try:
                label, encoded = self.next_sample()
            except StopIteration:
                break
            image = self.imdecode(encoded)
            self._check_label(label)
            try:
                self._put(image, label, data[filled], labels[filled : filled + 1])
            except RuntimeError as error:
                logging.debug("skipped an invalid image: %s", error)
                continue
            filled += 1
        return filled

    def _check_label(self, label: Any) -> None:
        """Raise unless a label has `label_width` numbers."""
        if np.size(label) != self.label_width:
            raise ShapeError(
                f"{type(self).__name__}: the label of {self._last_read()} has {np.size(label)} "
                f"numbers; expected label_width={self.label_width}; pass another label_width, or "
                "fix the list or record"
            )

    def _last_read(self) -> str:
        """Return a description of the last image read, for errors."""
        return self.source.describe(self.cur - 1 if self.seq is None else self.seq[self.cur - 1])

    def _put(self, image: Any, label: Any, data: np.ndarray, labels: np.ndarray) -> None:
        """Augment an image and write it and its label to their rows."""
        self.check_valid_image([image])
        data[...] = self.postprocess_data(self.augmentation_transform(image)).asnumpy()
        labels[...] = np.reshape(label, labels.shape)

    def check_data_shape(self, data_shape: Any) -> None:
        """Raise unless a shape is (3, height, width)."""
        if len(data_shape) != 3 or data_shape[0] != 3:
            raise ValueError(
                f"{type(self).__name__}: data_shape is {tuple(data_shape)}; expected "
                "(3, height, width): length 3, and 3 channels"
            )

    def check_valid_image(self, data: Any) -> None:
        """Raise if an image has no dimensions."""
        if len(data[0].shape) == 0:
            raise RuntimeError("Data shape is wrong")

    def imdecode(self, s: bytes) -> Any:
        """Return the image decoded from `s`, the last bytes read.

        Raises
        ------
        OpforgeError
            `s` is not an image; the message names the file or key.
        """
        try:
            return imdecode(s)
        except OpforgeError as error:
            raise OpforgeError(f"Broken image {self._last_read()}, {error}") from error

    def read_image(self, fname: str) -> bytes:
        """Return the bytes of a file below `path_root`."""
        if not isinstance(self.source, ImageList):
            raise TypeError(f"{type(self).__name__}: record files have no image files to read")
        return self.source.read_image(fname)

    def augmentation_transform(self, data: Any) -> Any:
        """Return the augmented image."""
        for augmenter in self.auglist:
            data = augmenter(data)
        return data

    def postprocess_data(self, datum: Any) -> Any:
        """Return an image with channels first."""
        return F.transpose(datum, axes=(2, 0, 1))


def _source(
    path_imgrec: Any,
    path_imgidx: Any,
    path_imglist: Any,
    root: Any,
    imglist: Any,
    dtype: str,
    allow_outside_root: bool,
) -> ImageList | RecordFile:
    """Return the source of images."""
    entries = None
    if path_imglist:
        entries = entries_from_file(path_imglist, dtype)
    elif imglist is not None:
        entries = entries_from_list(imglist, dtype)
    if path_imgrec:
        return RecordFile(path_imgrec, path_imgidx, entries)
    if entries is None:
        raise ValueError("no images to read; pass one of path_imgrec, path_imglist and imglist")
    return ImageList(entries, root, allow_outside_root)
