import struct

import numpy as np
import pytest

from opforge import io
from opforge.base.errors import ShapeError


@pytest.fixture
def files(tmp_path):
    """Ten images of 4x5 whose labels are 0 to 9, and the images."""
    images = np.random.default_rng(0).integers(0, 256, (10, 4, 5), np.uint8)
    image, label = tmp_path / "images", tmp_path / "labels"
    image.write_bytes(struct.pack(">4I", 0x803, 10, 4, 5) + images.tobytes())
    label.write_bytes(struct.pack(">2I", 0x801, 10) + bytes(range(10)))
    return {"image": image, "label": label}, images


def labels(batches):
    return [batch.label[0].asnumpy().tolist() for batch in batches]


def test_in_order(files):
    paths, images = files
    batches = io.MNISTIter(**paths, batch_size=4, shuffle=False, silent=True)
    assert batches.provide_data == [("data", (4, 1, 4, 5))]
    assert batches.provide_label == [("softmax_label", (4,))]
    np.testing.assert_array_equal(batches.next().data[0].asnumpy()[:, 0] * 256, images[:4])
    batches.reset()
    assert labels(batches) == [[0, 1, 2, 3], [4, 5, 6, 7]]


def test_flat(files):
    paths, images = files
    batch = io.MNISTIter(**paths, batch_size=10, shuffle=False, flat=True).next()
    np.testing.assert_array_equal(batch.data[0].asnumpy() * 256, images.reshape(10, 20))


def test_shuffled_once_by_the_seed(files):
    paths, images = files
    batches = io.MNISTIter(**paths, batch_size=10, seed=3)
    (first,) = labels(batches)
    assert first != sorted(first) == list(range(10))
    batches.reset()
    batch = batches.next()
    assert batch.label[0].asnumpy().tolist() == first
    order = np.array(first, int)
    np.testing.assert_array_equal(batch.data[0].asnumpy()[:, 0] * 256, images[order])
    assert labels(io.MNISTIter(**paths, batch_size=10, seed=3)) == [first]
    assert labels(io.MNISTIter(**paths, batch_size=10, seed=4)) != [first]


@pytest.mark.parametrize(
    ("part", "expected"), [(0, [[0, 1]]), (1, [[3, 4]]), (2, [[6, 7], [8, 9]])]
)
def test_parts(files, part, expected):
    paths, _ = files
    batches = io.MNISTIter(**paths, batch_size=2, shuffle=False, num_parts=3, part_index=part)
    assert labels(batches) == expected


def test_invalid_arguments_raise(files, tmp_path):
    paths, _ = files
    with pytest.raises(ValueError, match="part_index=3; expected 0 to 2"):
        io.MNISTIter(**paths, num_parts=3, part_index=3)
    with pytest.raises(ShapeError, match="labels of shape \\(10, 4, 5\\); expected"):
        io.MNISTIter(image=paths["image"], label=paths["image"])
    with pytest.raises(FileNotFoundError):
        io.MNISTIter(image=tmp_path / "none", label=paths["label"])
