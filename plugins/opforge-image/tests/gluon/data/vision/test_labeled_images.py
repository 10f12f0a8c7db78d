"""The base of data sets of images in memory."""

import numpy as np
import pytest
from opforge_image.gluon.data.vision.labeled_images import LabeledImages

from opforge import nd
from opforge.base.numpy_semantics import np_array, np_shape, numpy_class, set_numpy_class
from opforge.gluon.data import DataLoader


class Squares(LabeledImages):
    """Four images of one value each."""

    _folder = "squares"

    def _read(self):
        count = 4 if self._train else 2
        return np.full((count, 2, 2, 1), 1) * np.arange(count).reshape(-1, 1, 1, 1), np.arange(
            count
        )


def test_samples_are_images_of_bytes_and_labels():
    squares = Squares()
    assert len(squares) == 4 and len(Squares(train=False)) == 2
    image_hwc, label = squares[3]
    assert image_hwc.dtype == np.uint8 and image_hwc.asnumpy().tolist() == [[[3], [3]], [[3], [3]]]
    assert label == 3 and label.dtype == np.int32


@pytest.mark.parametrize("index", [3, slice(1, 3)])
def test_labels_are_arrays_of_numpy_as_images_are(index):
    own = type("Own", (nd.NDArray,), {"__module__": __name__})
    before = numpy_class()
    set_numpy_class(own)
    try:
        with np_shape(), np_array():
            image, label = Squares()[index]
    finally:
        set_numpy_class(before)
    assert type(image) is type(label) is own
    assert label.dtype == np.int32 and label.asnumpy().tolist() == np.arange(4)[index].tolist()


def test_a_transform_is_called_when_a_sample_is_read():
    squares = Squares(transform=lambda image, label: (image.sum().asscalar(), -label))
    assert squares[2] == (8, -2)


def test_batched_access_equals_access_by_index():
    images_nhwc, labels_n = next(iter(DataLoader(Squares(), 3)))
    assert images_nhwc.shape == (3, 2, 2, 1) and labels_n.asnumpy().tolist() == [0, 1, 2]
    assert images_nhwc.asnumpy()[:, 0, 0, 0].tolist() == [0, 1, 2]


def test_the_default_folder_is_opforges(monkeypatch, tmp_path):
    monkeypatch.setenv("OPFORGE_HOME", str(tmp_path))
    assert Squares()._root == tmp_path / "datasets" / "squares"
    assert Squares(tmp_path / "own")._root == tmp_path / "own"


def test_a_subclass_reads():
    with pytest.raises(NotImplementedError, match="must define _read"):
        type("Bare", (LabeledImages,), {"_folder": "bare"})()
