"""MNIST and Fashion-MNIST from IDX files in a folder, downloaded there if they are missing."""

from pathlib import Path
from typing import ClassVar

import numpy as np

from opforge.plugin_api import OpforgeError, downloading
from opforge.plugin_api import add_aliases as _add_aliases

from ....io.idx import read_idx
from .labeled_images import LabeledImages

__all__ = ["MNIST", "FashionMNIST"]

_IMAGES = {True: "train-images-idx3-ubyte", False: "t10k-images-idx3-ubyte"}
_LABELS = {True: "train-labels-idx1-ubyte", False: "t10k-labels-idx1-ubyte"}


class MNIST(LabeledImages):
    """Handwritten digits, 60000 for training and 10000 for testing.

    A sample is an image, an NDArray of shape (28, 28, 1) and dtype uint8, and its label, an
    ``np.int32`` in [0, 10).

    Parameters
    ----------
    root : path-like, default ``~/.opforge/datasets/mnist``
        Folder with the IDX files ``train-images-idx3-ubyte``, ``train-labels-idx1-ubyte``,
        ``t10k-images-idx3-ubyte`` and ``t10k-labels-idx1-ubyte``, each with or without ``.gz``.
        Missing files are downloaded there. `OPFORGE_HOME` changes the default.
    train : bool, default True
        Load the training set; otherwise the test set.
    transform : callable, optional
        ``transform(image, label)`` returns the sample; called on each access.

    Raises
    ------
    OpforgeError
        A file is missing and cannot be downloaded, or is damaged; the message names it.
    """

    _folder: ClassVar[str] = "mnist"
    _url: ClassVar[str] = "https://ossci-datasets.s3.amazonaws.com/mnist/"
    _sha1: ClassVar[dict[str, str]] = {
        "train-images-idx3-ubyte": "6c95f4b05d2bf285e1bfb0e7960c31bd3b3f8a7d",
        "train-labels-idx1-ubyte": "2a80914081dc54586dbdf242f9805a6b8d2a15fc",
        "t10k-images-idx3-ubyte": "c3a25af1f52dad7f726cce8cacb138654b760d48",
        "t10k-labels-idx1-ubyte": "763e7fa3757d93b0cdec073cef058b2004252c17",
    }

    def _read(self) -> tuple[np.ndarray, np.ndarray]:
        image_path, label_path = self._file(_IMAGES[self._train]), self._file(_LABELS[self._train])
        images_nhw, labels_n = read_idx(image_path), read_idx(label_path)
        if images_nhw.shape[1:] != (28, 28) or images_nhw.dtype != np.uint8:
            raise _array_error(image_path, images_nhw, "(n, 28, 28)")
        if labels_n.shape != images_nhw.shape[:1] or labels_n.dtype != np.uint8:
            raise _array_error(label_path, labels_n, f"{images_nhw.shape[:1]}, one for each image")
        return images_nhw[..., None], labels_n

    def _file(self, name: str) -> Path:
        for candidate in (self._root / name, self._root / f"{name}.gz"):
            if candidate.exists():
                return candidate
        archive = f"{name}.gz"
        advice = ", or pass root=FOLDER with a folder that has it"
        return downloading.fetch(
            self._url + archive, self._root / archive, self._sha1[name], advice=advice
        )


class FashionMNIST(MNIST):
    """Zalando's images of clothes in MNIST's format, with the same sizes, files and parameters.

    Parameters
    ----------
    root : path-like, default ``~/.opforge/datasets/fashion-mnist``
    train : bool, default True
    transform : callable, optional
    """

    _folder = "fashion-mnist"
    _url = "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/"
    _sha1: ClassVar[dict[str, str]] = {
        "train-images-idx3-ubyte": "0cf37b0d40ed5169c6b3aba31069a9770ac9043d",
        "train-labels-idx1-ubyte": "236021d52f1e40852b06a4c3008d8de8aef1e40b",
        "t10k-images-idx3-ubyte": "626ed6a7c06dd17c0eec72fa3be1740f146a2863",
        "t10k-labels-idx1-ubyte": "17f9ab60e7257a1620f4ad76bbbaf857c3920701",
    }


def _array_error(path: Path, array: np.ndarray, expected: str) -> OpforgeError:
    return OpforgeError(
        f"{path} has {array.dtype} elements of shape {array.shape}; expected uint8 of shape "
        f"{expected}. Delete it to have it downloaded again, or replace it with the right file"
    )


_add_aliases(__name__)
