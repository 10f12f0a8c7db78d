"""`MNISTIter`: batches of images and labels in the IDX format."""

import os
from typing import Any

import numpy as np

from opforge.plugin_api import F as nd
from opforge.plugin_api import NDArrayIter, ShapeError

from .idx import read_idx

__all__ = ["MNISTIter"]


class MNISTIter(NDArrayIter):
    """Batches of images, divided by 256, with their labels; an incomplete last batch is dropped.

    Parameters
    ----------
    image, label : path-like
        IDX files, gzipped or not.
    batch_size : int, default 128
    shuffle : bool, default True
        Shuffle once, with `seed`; every epoch has the same order.
    flat : bool, default False
        Flatten each image to a vector; otherwise it has shape (1, height, width).
    seed : int, default 0
    num_parts, part_index : int, default 1 and 0
        Use only one of `num_parts` equal parts of the data.
    data_name, label_name : str, default "data" and "softmax_label"
    **ignored
        MXNet's reader-thread settings, such as ``prefetch_buffer``, and ``silent``.

    Raises
    ------
    ShapeError
        The files do not contain images and the same number of labels.
    ValueError
        `part_index` is out of range.
    FileNotFoundError
        A file does not exist.

    Examples
    --------
    >>> import struct, tempfile, pathlib
    >>> from opforge import io
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "images").write_bytes(struct.pack(">4I", 0x803, 2, 2, 2) + bytes(range(8)))
    >>> _ = (folder / "labels").write_bytes(struct.pack(">2I", 0x801, 2) + bytes([7, 9]))
    >>> batch = io.MNISTIter(
    ...     image=folder / "images", label=folder / "labels", batch_size=2, shuffle=False
    ... ).next()
    >>> batch.data[0].shape, batch.label[0].asnumpy().tolist()
    ((2, 1, 2, 2), [7.0, 9.0])
    """

    def __init__(
        self,
        *,
        image: str | os.PathLike[str] = "./train-images-idx3-ubyte",
        label: str | os.PathLike[str] = "./train-labels-idx1-ubyte",
        batch_size: int = 128,
        shuffle: bool = True,
        flat: bool = False,
        seed: int = 0,
        num_parts: int = 1,
        part_index: int = 0,
        data_name: str = "data",
        label_name: str = "softmax_label",
        **ignored: Any,
    ) -> None:
        images_nhw, labels_n = read_idx(image), read_idx(label)
        if images_nhw.ndim != 3 or labels_n.shape != images_nhw.shape[:1]:
            raise ShapeError(
                f"MNISTIter: {image} has images of shape {images_nhw.shape} and {label} has labels "
                f"of shape {labels_n.shape}; expected (n, height, width) and (n,)"
            )
        rows = _rows_of_part(len(labels_n), num_parts, part_index)
        if shuffle:
            rows = np.random.default_rng(seed).permutation(rows)
        images = images_nhw[rows].astype(np.float32) / 256
        shape = (len(rows), -1) if flat else (len(rows), 1, *images_nhw.shape[1:])
        super().__init__(
            nd.array(images.reshape(shape)),
            nd.array(labels_n[rows]),
            batch_size,
            last_batch_handle="discard",
            data_name=data_name,
            label_name=label_name,
        )


def _rows_of_part(count: int, num_parts: int, part_index: int) -> np.ndarray:
    if not 0 <= part_index < num_parts:
        raise ValueError(
            f"MNISTIter: got part_index={part_index}; expected 0 to {num_parts - 1} because "
            f"num_parts={num_parts}"
        )
    size = count // num_parts
    last = part_index == num_parts - 1
    return np.arange(part_index * size, count if last else (part_index + 1) * size)
