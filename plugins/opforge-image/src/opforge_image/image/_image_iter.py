"""`ImageIter`: batches of augmented images from record files, lists and folders."""

import logging
import random
from collections.abc import Sequence
from typing import Any

import numpy as np

from opforge.plugin_api import DataBatch, DataDesc, DataIter, F, OpforgeError, ShapeError

from ._augmentation import CreateAugmenter
from ._reading import imdecode
from ._sources import ImageList, RecordFile, entries_of, entries_of_file

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
        How many labels an image has.
    path_imgrec, path_imgidx : path-like, optional
        A record file and its index, which shuffling and parts need.
    path_imglist : path-like, optional
        A list file: key, labels and path in each line, with tabs between them.
    path_root : path-like, optional
        Folder that paths begin from, and that they may not leave; without it they begin from the
        current folder, and any path is allowed.
    shuffle : bool, default False
        Another order in each epoch, by Python's ``random``.
    part_index, num_parts : int, default 0 and 1
        Read one of so many equal parts.
    aug_list : list of Augmenter, optional
        By default what `CreateAugmenter` makes of `data_shape` and `kwargs`.
    imglist : list, optional
        Instead of files: a label, or several, and a path for each image.
    data_name, label_name : str
    dtype : str, default "float32"
        Of labels.
    last_batch_handle : {"pad", "discard", "roll_over"}
        A last batch that is not full is filled with the first images, left out, or kept for the
        next epoch, where its `pad` is what came to it.
    allow_outside_root : bool, default False
        Accept paths that leave `path_root`: absolute, by ``..`` or by a symbolic link.
    **kwargs
        For `CreateAugmenter`.

    Raises
    ------
    OpforgeError
        A line of the list is damaged, or its path leaves `path_root`.
    ValueError
        Nothing is given to read, or an argument is none of these.
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
                f"{type(self).__name__}: shuffling a record file needs its index, path_imgidx"
            )
        self.provide_data = [DataDesc(data_name, (batch_size, *self.data_shape))]
        labels = (batch_size, label_width) if label_width > 1 else (batch_size,)
        self.provide_label = [DataDesc(label_name, labels)]
        if aug_list is None:
            aug_list = CreateAugmenter(data_shape, **kwargs)
        self.auglist: list[Any] = aug_list
        self.cur = 0
        self._is_done = False
        # Of an epoch that ended within a batch: arrays, and how many samples they have.
        self._left: tuple[Any, Any, int] | None = None
        self.reset()

    def _check(self, name: str, value: Any, choices: Sequence[str]) -> None:
        if value not in choices:
            raise ValueError(
                f"{type(self).__name__}: {name} is {value!r}, expected one of {', '.join(choices)}"
            )

    def _part(self, part_index: int, num_parts: int) -> list[Any] | None:
        """Return the keys to read, or None where the file is read in order."""
        if not 0 <= part_index < num_parts:
            raise ValueError(
                f"{type(self).__name__}: part_index is {part_index}, expected 0 to "
                f"{num_parts - 1}, as num_parts says"
            )
        keys = self.source.keys
        if keys is None:
            if num_parts > 1:
                raise ValueError(
                    f"{type(self).__name__}: a part of a record file needs its index, path_imgidx"
                )
            return None
        length = len(keys) // num_parts
        return keys[part_index * length : (part_index + 1) * length]

    @property
    def num_image(self) -> int | None:
        """Number of images per epoch; None if only reading tells."""
        return None if self.seq is None else len(self.seq)

    def reset(self) -> None:
        """Begin an epoch; what rolled over comes first."""
        if self.last_batch_handle != "roll_over":
            self._left = None
        self._begin()

    def hard_reset(self) -> None:
        """Begin an epoch without what rolled over."""
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
        """Return labels and bytes of the next image.

        Raises
        ------
        StopIteration
            There is none left.
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
            An image or record cannot be read; the message says which.
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
            pad = self.batch_size - rolled  # as MXNet counts: what came to those that rolled over
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
        """Fill a batch up with the first images, again and again if there are few."""
        while filled < self.batch_size:
            self._rewind()
            more = self._fill(data, labels, filled)
            if more == filled:
                return
            filled = more

    def _fill(self, data: np.ndarray, labels: np.ndarray, filled: int) -> int:
        """Put samples into a batch; return how many it has then."""
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
                logging.debug("an image that is not valid is passed over: %s", error)
                continue
            filled += 1
        return filled

    def _check_label(self, label: Any) -> None:
        """Raise an error if a label does not have `label_width` numbers."""
        if np.size(label) != self.label_width:
            raise ShapeError(
                f"{type(self).__name__}: the label of {self._last_read()} has {np.size(label)} "
                f"numbers, expected label_width={self.label_width}; pass another label_width, or "
                "fix the list or record"
            )

    def _last_read(self) -> str:
        """Return what errors call the image that was read last."""
        return self.source.named(self.cur - 1 if self.seq is None else self.seq[self.cur - 1])

    def _put(self, image: Any, label: Any, data: np.ndarray, labels: np.ndarray) -> None:
        """Augment an image and write it and its label into their rows."""
        self.check_valid_image([image])
        data[...] = self.postprocess_data(self.augmentation_transform(image)).asnumpy()
        labels[...] = np.reshape(label, labels.shape)

    def check_data_shape(self, data_shape: Any) -> None:
        """Reject a shape that is not (3, height, width)."""
        if len(data_shape) != 3 or data_shape[0] != 3:
            raise ValueError(
                f"{type(self).__name__}: data_shape is {tuple(data_shape)}, expected "
                "(3, height, width): length 3, and 3 channels"
            )

    def check_valid_image(self, data: Any) -> None:
        """Reject what has no shape."""
        if len(data[0].shape) == 0:
            raise RuntimeError("Data shape is wrong")

    def imdecode(self, s: bytes) -> Any:
        """Return the image in `s`, the bytes that were read last.

        Raises
        ------
        OpforgeError
            They are none; the message names file or key.
        """
        try:
            return imdecode(s)
        except OpforgeError as error:
            raise OpforgeError(f"Broken image {self._last_read()}, {error}") from error

    def read_image(self, fname: str) -> bytes:
        """Return the bytes of a file below `path_root`."""
        if not isinstance(self.source, ImageList):
            raise TypeError(f"{type(self).__name__}: a record file has no files to read")
        return self.source.read_image(fname)

    def augmentation_transform(self, data: Any) -> Any:
        """Return an image as the augmenters make it."""
        for augmenter in self.auglist:
            data = augmenter(data)
        return data

    def postprocess_data(self, datum: Any) -> Any:
        """Return an image with its channels before height and width."""
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
    """Return what is read."""
    entries = None
    if path_imglist:
        entries = entries_of_file(path_imglist, dtype)
    elif imglist is not None:
        entries = entries_of(imglist, dtype)
    if path_imgrec:
        return RecordFile(path_imgrec, path_imgidx, entries)
    if entries is None:
        raise ValueError("give one of path_imgrec, path_imglist and imglist to read images from")
    return ImageList(entries, root, allow_outside_root)
