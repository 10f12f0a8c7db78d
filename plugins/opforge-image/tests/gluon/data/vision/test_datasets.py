import gzip
import struct

import numpy as np
import pytest

from opforge import nd
from opforge.base.errors import OpforgeError
from opforge.gluon.data import DataLoader
from opforge.gluon.data.vision import MNIST, FashionMNIST
from opforge.plugin_api import downloading


def write(path, magic, *sizes, data):
    content = struct.pack(f">{1 + len(sizes)}I", magic, *sizes) + data.tobytes()
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)


@pytest.fixture
def images():
    return np.random.default_rng(0).integers(0, 256, (20, 28, 28), np.uint8)


@pytest.fixture
def root(tmp_path, images):
    labels = np.arange(20, dtype=np.uint8) % 10
    write(tmp_path / "train-images-idx3-ubyte.gz", 2051, 20, 28, 28, data=images)
    write(tmp_path / "train-labels-idx1-ubyte", 2049, 20, data=labels)
    write(tmp_path / "t10k-images-idx3-ubyte", 2051, 5, 28, 28, data=images[:5])
    write(tmp_path / "t10k-labels-idx1-ubyte.gz", 2049, 5, data=labels[:5])
    return tmp_path


@pytest.mark.parametrize("dataset", [MNIST, FashionMNIST])
def test_samples(root, images, dataset):
    train, test = dataset(root), dataset(str(root), train=False)
    assert (len(train), len(test)) == (20, 5)
    image, label = train[13]
    assert isinstance(image, nd.NDArray)
    assert (image.shape, image.dtype) == ((28, 28, 1), np.uint8)
    assert isinstance(label, np.int32)
    assert label == 3
    np.testing.assert_array_equal(image.asnumpy()[..., 0], images[13])


def test_transform(root, images):
    scaled = MNIST(root, transform=lambda x, y: (x.astype(np.float32) / 255, y.astype(np.float32)))
    image, label = scaled[4]
    assert image.dtype == np.float32
    assert type(label) is np.float32
    np.testing.assert_allclose(image.asnumpy()[..., 0], images[4] / 255, rtol=1e-6)


@pytest.mark.parametrize("num_workers", [0, 1])
def test_batches(root, images, num_workers):
    data, label = next(iter(DataLoader(MNIST(root), 8, num_workers=num_workers)))
    assert (data.shape, data.dtype) == ((8, 28, 28, 1), np.uint8)
    np.testing.assert_array_equal(data.asnumpy()[..., 0], images[:8])
    assert label.dtype == np.int32
    assert label.asnumpy().tolist() == list(range(8))


def test_default_root_follows_the_home_switch(root, monkeypatch):
    home = root.parent / "home"
    (home / "datasets").mkdir(parents=True)
    (home / "datasets" / "fashion-mnist").symlink_to(root)
    monkeypatch.setenv("OPFORGE_HOME", str(home))
    assert len(FashionMNIST()) == 20


def test_missing_files_are_downloaded(root, monkeypatch):
    asked = []
    source = root / "train-labels-idx1-ubyte"
    content = gzip.compress(source.read_bytes())
    source.unlink()

    def fetch(url, path, sha1_hash, advice):
        asked.append((url, path, sha1_hash))
        path.write_bytes(content)
        return path

    monkeypatch.setattr(downloading, "fetch", fetch)
    assert len(MNIST(root)) == 20
    ((url, path, digest),) = asked
    assert url.endswith("/train-labels-idx1-ubyte.gz")
    assert path == root / "train-labels-idx1-ubyte.gz"
    assert len(digest) == 40


def test_a_damaged_file_is_named(root):
    path = root / "t10k-images-idx3-ubyte"
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(OpforgeError, match="t10k-images-idx3-ubyte is damaged"):
        MNIST(root, train=False)


def test_files_that_do_not_fit_together(root, images):
    write(root / "train-labels-idx1-ubyte", 2049, 3, data=images[0, 0, :3])
    with pytest.raises(OpforgeError, match=r"train-labels.*shape \(3,\); expected .*\(20,\)"):
        MNIST(root)
    write(root / "t10k-images-idx3-ubyte", 2051, 5, 2, 2, data=images[:5, :2, :2].copy())
    with pytest.raises(OpforgeError, match=r"t10k-images.*\(5, 2, 2\); expected .*28"):
        MNIST(root, train=False)
