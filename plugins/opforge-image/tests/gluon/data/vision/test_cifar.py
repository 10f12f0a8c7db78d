"""CIFAR-10 and CIFAR-100 from binary files, a folder of the archive, and the archive."""

import tarfile

import numpy as np
import pytest

from opforge import nd
from opforge.base.errors import OpforgeError
from opforge.gluon.data import DataLoader
from opforge.gluon.data.vision import CIFAR10, CIFAR100

COUNT = 4


def records(seed, labels):
    """Return records: labels of a byte each, then planes."""
    return np.random.default_rng(seed).integers(0, 10, (COUNT, labels + 3072), np.uint8)


def write10(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for i in range(1, 6):
        records(i, 1).tofile(folder / f"data_batch_{i}.bin")
    records(6, 1).tofile(folder / "test_batch.bin")


def archive(folder, path):
    with tarfile.open(path, "w:gz") as tar:
        tar.add(folder, folder.name)


@pytest.mark.parametrize("source", ["files", "folder", "archive"])
def test_cifar10_reads_files_and_archives(tmp_path, source):
    write10(tmp_path if source == "files" else tmp_path / "cifar-10-batches-bin")
    root = tmp_path
    if source == "archive":
        root = tmp_path / "root"
        root.mkdir()
        archive(tmp_path / "cifar-10-batches-bin", root / "cifar-10-binary.tar.gz")
    train, test = CIFAR10(root), CIFAR10(str(root), train=False)
    assert (len(train), len(test)) == (5 * COUNT, COUNT)
    image, label = train[COUNT]
    assert isinstance(image, nd.NDArray) and (image.shape, image.dtype) == ((32, 32, 3), np.uint8)
    stored = records(2, 1)[0]
    assert isinstance(label, np.int32) and label == stored[0]
    assert np.array_equal(
        image.asnumpy()[2, 5], [stored[1 + c * 1024 + 2 * 32 + 5] for c in range(3)]
    )


@pytest.mark.parametrize("fine", [False, True])
def test_cifar100_has_two_labels(tmp_path, fine):
    records(0, 2).tofile(tmp_path / "train.bin")
    records(1, 2).tofile(tmp_path / "test.bin")
    train = CIFAR100(tmp_path, fine_label=fine)
    assert [label for _, label in train] == records(0, 2)[:, int(fine)].tolist()
    assert len(CIFAR100(tmp_path, train=False)) == COUNT


def test_batches_and_transform(tmp_path):
    write10(tmp_path)
    images, labels = next(iter(DataLoader(CIFAR10(tmp_path), 8)))
    assert (images.shape, images.dtype, labels.dtype) == ((8, 32, 32, 3), np.uint8, np.int32)
    assert (
        CIFAR10(tmp_path, transform=lambda image, label: label + 1)[0] == labels[0].asscalar() + 1
    )


@pytest.mark.parametrize("size", [0, 1, 3072, 3074])
def test_damaged_files_are_named(tmp_path, size):
    (tmp_path / "test_batch.bin").write_bytes(bytes(size))
    with pytest.raises(OpforgeError, match=r"test_batch\.bin has .* expected a multiple of 3073"):
        CIFAR10(tmp_path, train=False)


def test_damaged_archives_are_named(tmp_path):
    (tmp_path / "cifar-10-binary.tar.gz").write_bytes(b"no archive")
    with pytest.raises(OpforgeError, match="is damaged"):
        CIFAR10(tmp_path)
    write10(tmp_path / "other")
    (tmp_path / "other" / "test_batch.bin").unlink()
    archive(tmp_path / "other", tmp_path / "cifar-10-binary.tar.gz")
    with pytest.raises(OpforgeError, match=r"has no file test_batch\.bin"):
        CIFAR10(tmp_path, train=False)


def test_names_in_the_archive_do_not_leave_the_folder(tmp_path):
    root = tmp_path / "root"
    root.mkdir()
    records(0, 1).tofile(tmp_path / "test_batch.bin")
    with tarfile.open(root / "cifar-10-binary.tar.gz", "w:gz") as tar:
        tar.add(tmp_path / "test_batch.bin", "../../escaped/test_batch.bin")
    assert len(CIFAR10(root, train=False)) == COUNT
    assert (root / "test_batch.bin").exists() and not (tmp_path / "escaped").exists()


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.DIRTYPE])
def test_links_and_folders_in_the_archive_are_no_files(kind, tmp_path):
    member = tarfile.TarInfo("test_batch.bin")
    member.type, member.linkname = kind, "nowhere"
    with tarfile.open(tmp_path / "cifar-10-binary.tar.gz", "w:gz") as tar:
        tar.addfile(member)
    with pytest.raises(OpforgeError, match=r"has no file test_batch.bin"):
        CIFAR10(tmp_path, train=False)
    assert not (tmp_path / "test_batch.bin").exists()
