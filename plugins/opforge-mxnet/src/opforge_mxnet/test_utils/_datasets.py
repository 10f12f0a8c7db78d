"""MNIST and CIFAR-10 in the current folder or ``data``, where MXNet's programs expect them."""

from pathlib import Path
from typing import Any

import numpy as np

from opforge import io
from opforge.base.unpacking import extract_zip
from opforge.gluon.downloading import home_folder

from ._downloads import download, source_url

__all__ = ["get_cifar10", "get_mnist", "get_mnist_iterator", "get_mnist_pkl", "get_mnist_ubyte"]

_FOLDER = Path("data")
_MNIST = (
    "train-images-idx3-ubyte",
    "train-labels-idx1-ubyte",
    "t10k-images-idx3-ubyte",
    "t10k-labels-idx1-ubyte",
)
_CIFAR = ("train.rec", "test.rec", "train.lst", "test.lst")


def get_mnist() -> dict[str, np.ndarray]:
    """Return MNIST from the four ``.gz`` files, downloading those that are missing.

    Search the current folder first, then the folder in which `gluon.data.vision.MNIST` stores them.

    Returns
    -------
    dict of str to numpy.ndarray
        ``train_data`` and ``test_data``, float32 in [0, 1] of shape (n, 1, 28, 28);
        ``train_label`` and ``test_label``, int8.

    Raises
    ------
    OpforgeError
        A file is missing and cannot be downloaded, or is damaged; the message names it.
    """
    found = {}
    for name, (images, labels) in {"train": _MNIST[:2], "test": _MNIST[2:]}.items():
        pixels = io.idx.read_idx(_mnist_file(images))
        found[f"{name}_data"] = pixels[:, None].astype(np.float32) / 255
        found[f"{name}_label"] = io.idx.read_idx(_mnist_file(labels)).astype(np.int8)
    return found


def _mnist_file(name: str) -> Path:
    kept = home_folder("datasets", "mnist")
    for folder in (Path(), kept):
        for candidate in (folder / f"{name}.gz", folder / name):
            if candidate.exists():
                return candidate
    return Path(download(source_url(f"data/mnist/{name}.gz")))


def get_mnist_pkl() -> None:
    """Download ``data/mnist.pkl.gz`` unless it exists."""
    download("http://deeplearning.net/data/mnist/mnist.pkl.gz", dirname=str(_FOLDER))


def get_mnist_ubyte() -> None:
    """Download and unpack the four MNIST files into the folder ``data`` if one is missing."""
    _unpack(_FOLDER, _MNIST, "mnist.zip")


def get_cifar10() -> None:
    """Download and unpack CIFAR-10 into ``data/cifar`` if a file is missing."""
    _unpack(_FOLDER / "cifar", _CIFAR, "cifar10.zip")


def _unpack(folder: Path, names: tuple[str, ...], archive: str) -> None:
    if all((folder / name).exists() for name in names):
        return
    packed = download(source_url(f"mxnet/data/{archive}"), dirname=str(_FOLDER))
    extract_zip(packed, _FOLDER)


def get_mnist_iterator(
    batch_size: int, input_shape: tuple[int, ...], num_parts: int = 1, part_index: int = 0
) -> tuple[Any, Any]:
    """Return iterators over the MNIST training set, shuffled, and validation set.

    Parameters
    ----------
    batch_size : int
    input_shape : tuple of int
        Three sizes: images of shape (1, 28, 28); any other number: vectors of 784 pixels.
    num_parts, part_index : int
        Use only part `part_index` of `num_parts` equal parts.
    """
    get_mnist_ubyte()
    parts = [
        io.MNISTIter(
            image=_FOLDER / images,
            label=_FOLDER / labels,
            batch_size=batch_size,
            shuffle=shuffle,
            flat=len(input_shape) != 3,
            num_parts=num_parts,
            part_index=part_index,
        )
        for images, labels, shuffle in ((*_MNIST[:2], True), (*_MNIST[2:], False))
    ]
    return parts[0], parts[1]
