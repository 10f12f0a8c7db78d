import gzip
import struct
import zipfile

import numpy as np
import pytest

import opforge as mx
from opforge import test_utils

NAMES = {
    "train": ("train-images-idx3-ubyte", "train-labels-idx1-ubyte"),
    "test": ("t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"),
}


def idx(array):
    header = struct.pack(f">HBB{array.ndim}I", 0, 8, array.ndim, *array.shape)
    return header + array.astype(np.uint8).tobytes()


def files(count=3):
    """Return the contents of the four files of a small MNIST, by name."""
    found = {}
    for images, labels in NAMES.values():
        found[images] = idx(np.full((count, 28, 28), 255))
        found[labels] = idx(np.arange(count))
    return found


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """A repository of data sets in a folder, and a current folder that is empty."""
    repository = tmp_path / "repository"
    repository.mkdir()
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    monkeypatch.setenv("OPFORGE_DATA_REPO", repository.as_uri())
    monkeypatch.setenv("OPFORGE_HOME", str(tmp_path / "home"))
    return repository


def test_get_mnist_from_a_repository(elsewhere, tmp_path):
    folder = elsewhere / "data" / "mnist"
    folder.mkdir(parents=True)
    for name, content in files().items():
        (folder / f"{name}.gz").write_bytes(gzip.compress(content))
    found = test_utils.get_mnist()
    assert found["train_data"].shape == (3, 1, 28, 28)
    assert (found["train_data"].dtype, found["test_data"].max()) == (np.float32, 1.0)
    assert found["test_label"].tolist() == [0, 1, 2]
    assert found["test_label"].dtype == np.int8
    assert len(list((tmp_path / "here").iterdir())) == 4


def test_get_mnist_finds_files_downloaded_by_gluon(elsewhere, tmp_path):
    folder = tmp_path / "home" / "datasets" / "mnist"
    folder.mkdir(parents=True)
    for name, content in files(2).items():
        (folder / name).write_bytes(content)
    assert test_utils.get_mnist()["train_label"].tolist() == [0, 1]


def test_get_mnist_names_the_missing_files(elsewhere, tmp_path):
    with pytest.raises(mx.MXNetError, match=r"train-images-idx3-ubyte\.gz") as caught:
        test_utils.get_mnist()
    assert f"into {tmp_path / 'here'} as" in str(caught.value)


def test_iterators_over_mnist(elsewhere):
    folder = elsewhere / "mxnet" / "data"
    folder.mkdir(parents=True)
    with zipfile.ZipFile(folder / "mnist.zip", "w") as archive:
        for name, content in files(4).items():
            archive.writestr(name, content)
    train, test = test_utils.get_mnist_iterator(2, (784,))
    assert next(train).data[0].shape == (2, 784)
    assert next(test).label[0].asnumpy().tolist() == [0, 1]
    image, _ = test_utils.get_mnist_iterator(2, (1, 28, 28))
    assert next(image).data[0].shape == (2, 1, 28, 28)


def test_cifar_is_unpacked_once(elsewhere, tmp_path):
    folder = elsewhere / "mxnet" / "data"
    folder.mkdir(parents=True)
    with zipfile.ZipFile(folder / "cifar10.zip", "w") as archive:
        for name in ("train.rec", "test.rec", "train.lst", "test.lst"):
            archive.writestr(f"cifar/{name}", name)
    test_utils.get_cifar10()
    (folder / "cifar10.zip").unlink()
    test_utils.get_cifar10()
    assert (tmp_path / "here" / "data" / "cifar" / "test.lst").read_text() == "test.lst"


def test_mnist_pkl_is_not_downloaded_twice(elsewhere, tmp_path):
    target = tmp_path / "here" / "data" / "mnist.pkl.gz"
    target.parent.mkdir()
    target.write_bytes(b"there")
    test_utils.get_mnist_pkl()
    assert target.read_bytes() == b"there"
