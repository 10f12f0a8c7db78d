"""MNIST and CIFAR-10 where MXNet's programs expect them: in the current folder, or ``data``."""

from pathlib import Path
from typing import Any

import numpy as np

from opforge import io
from opforge.base import config
from opforge.base.unpacking import extract_zip

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
    """Return MNIST from the four ``.gz`` files, each downloaded where it is missing.

    They are looked for in the current folder, then where `gluon.data.vision.MNIST` keeps them.

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
    kept = Path(config.get("OPFORGE_HOME")).expanduser() / "datasets" / "mnist"
    for folder in (Path(), kept):
        for candidate in (folder / f"{name}.gz", folder / name):
            if candidate.exists():
                return candidate
    return Path(download(source_url(f"data/mnist/{name}.gz")))


def get_mnist_pkl() -> None:
    """Download ``data/mnist.pkl.gz`` unless it is there."""
    download("http://deeplearning.net/data/mnist/mnist.pkl.gz", dirname=str(_FOLDER))


def get_mnist_ubyte() -> None:
    """Download and unpack the four files of MNIST into the folder ``data`` where one is missing."""
    _unpacked(_FOLDER, _MNIST, "mnist.zip")


def get_cifar10() -> None:
    """Download and unpack CIFAR-10 into ``data/cifar`` where a file of it is missing."""
    _unpacked(_FOLDER / "cifar", _CIFAR, "cifar10.zip")


def _unpacked(folder: Path, names: tuple[str, ...], archive: str) -> None:
    if all((folder / name).exists() for name in names):
        return
    packed = download(source_url(f"mxnet/data/{archive}"), dirname=str(_FOLDER))
    extract_zip(packed, _FOLDER)


def get_mnist_iterator(
    batch_size: int, input_shape: tuple[int, ...], num_parts: int = 1, part_index: int = 0
) -> tuple[Any, Any]:
    """Return iterators over MNIST, for training, shuffled, and for validation.

    Parameters
    ----------
    batch_size : int
    input_shape : tuple of int
        Three sizes: images stay (1, 28, 28); else they are vectors.
    num_parts, part_index : int
        Use one of `num_parts` equal parts only.
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
