"""Tests of data sets of record files and image folders, with all kinds of loaders."""

from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

import opforge as mx
from opforge.base import MXNetError
from opforge.gluon.data import DataLoader, RecordFileDataset, vision


def make_image(number: int) -> np.ndarray:
    """Return a distinct image, blue first."""
    return np.full((6, 7, 3), (number, 50 + number, 100 + number), np.uint8)


@pytest.fixture
def records(tmp_path: Path) -> Path:
    """Return a file of 12 images."""
    record = mx.recordio.MXIndexedRecordIO(tmp_path / "a.idx", tmp_path / "a.rec", "w")
    for i in range(12):
        content = mx.recordio.pack_img((0, i, i, 0), make_image(i), quality=1, img_fmt=".png")
        record.write_idx(i, content)
    record.close()
    return tmp_path / "a.rec"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with images in two subfolders."""
    for name, number in (("cat/1.png", 1), ("cat/2.png", 2), ("ant/9.PNG", 9)):
        path = tmp_path / "folder" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(cv2.imencode(".png", make_image(number))[1].tobytes())
    return tmp_path / "folder"


def test_records_are_bytes(records: Path) -> None:
    dataset = RecordFileDataset(records)
    assert len(dataset) == 12
    header, content = mx.recordio.unpack(dataset[5])
    assert header.label == 5 and content.startswith(b"\x89PNG")
    with pytest.raises(IndexError):
        dataset[12]


def test_images_of_records(records: Path) -> None:
    image, label = vision.ImageRecordDataset(records)[3]
    assert (image.shape, image.dtype, label) == ((6, 7, 3), np.uint8, 3.0)
    assert image[0, 0].asnumpy().tolist() == [103, 53, 3]
    assert vision.ImageRecordDataset(records, flag=0)[3][0].shape == (6, 7, 1)
    assert vision.ImageRecordDataset(records, transform=lambda image, label: -label)[3] == -3


@pytest.mark.parametrize(
    "workers",
    [{}, {"num_workers": 2}, {"num_workers": 3, "thread_pool": True}, {"prefetch": 3}],
    ids=["here", "processes", "threads", "engine"],
)
def test_loaders_of_each_kind(records: Path, workers: dict[str, Any]) -> None:
    dataset = vision.ImageRecordDataset(records)
    dataset[0]
    loader = DataLoader(dataset, 4, **workers)
    for _ in range(2):
        batches = list(loader)
        assert [label.asnumpy().tolist() for _, label in batches] == [
            [0, 1, 2, 3],
            [4, 5, 6, 7],
            [8, 9, 10, 11],
        ]
        for image, label in batches:
            assert np.array_equal(image[:, 0, 0, 2].asnumpy(), label.asnumpy())
    loader.close()


def test_damaged_images_are_named(records: Path) -> None:
    record = mx.recordio.MXIndexedRecordIO(records.with_suffix(".idx"), records, "w")
    record.write_idx(0, mx.recordio.pack((0, 0, 0, 0), b"no image"))
    record.close()
    with pytest.raises(MXNetError, match="cannot be decoded"):
        vision.ImageRecordDataset(records)[0]


def test_folders_are_labels(folder: Path) -> None:
    dataset = vision.ImageFolderDataset(folder)
    assert dataset.synsets == ["ant", "cat"]
    assert [(Path(path).name, label) for path, label in dataset.items] == [
        ("9.PNG", 0),
        ("1.png", 1),
        ("2.png", 1),
    ]
    image, label = dataset[2]
    assert label == 1 and image[0, 0].asnumpy().tolist() == [102, 52, 2]
    gray = vision.ImageFolderDataset(folder, flag=0, transform=lambda image, label: image.shape)
    assert len(gray) == 3 and gray[0] == (6, 7, 1)


def test_files_that_are_not_images_are_skipped(folder: Path) -> None:
    (folder / "readme.txt").touch()
    (folder / "cat" / "notes.txt").touch()
    with pytest.warns(UserWarning, match="skipped") as warned:
        dataset = vision.ImageFolderDataset(folder)
    assert len(dataset) == 3 and len(warned) == 2
