"""Conversion of byte images by lookup tables."""

import numpy as np
import pytest

from opforge import nd
from opforge.base.errors import DTypeError, ShapeError
from opforge.native.calls.byte_images import look_up_bytes

IMAGE = np.random.default_rng(0).integers(0, 256, (7, 6, 3)).astype(np.uint8)
TABLES = np.random.default_rng(1).normal(size=(3, 256)).astype(np.float32)


def look_up(image=IMAGE, tables=TABLES, part=(0, 0, 7, 6), mirrored=False):
    x, values = nd.array(image, dtype=image.dtype), nd.array(tables, dtype=tables.dtype)
    return look_up_bytes(x, values, *part, mirrored)


@pytest.mark.parametrize("mirrored", [False, True])
@pytest.mark.parametrize("part", [(0, 0, 7, 6), (2, 1, 3, 4), (6, 5, 1, 1), (0, 0, 0, 6)])
def test_crops(part, mirrored):
    top, left, height, width = part
    cut = IMAGE[top : top + height, left : left + width]
    cut = cut[:, ::-1] if mirrored else cut
    expected = np.stack([TABLES[c][cut[..., c]] for c in range(3)])
    np.testing.assert_array_equal(look_up(part=part, mirrored=mirrored).asnumpy(), expected)


def test_large_image_is_divided_among_threads():
    image = np.random.default_rng(2).integers(0, 256, (600, 500, 3)).astype(np.uint8)
    expected = np.stack([TABLES[c][image[..., c]] for c in range(3)])
    np.testing.assert_array_equal(look_up(image, part=(0, 0, 600, 500)).asnumpy(), expected)


@pytest.mark.parametrize(
    "part", [(-1, 0, 7, 6), (0, 0, 8, 6), (1, 0, 7, 6), (0, 3, 7, 4), (0, 0, 1, -1)]
)
def test_crops_beyond_the_image_are_rejected(part):
    with pytest.raises(ShapeError, match=r"is not within the image of shape \(7, 6, 3\)"):
        look_up(part=part)


def test_types_and_shapes_are_checked():
    with pytest.raises(DTypeError, match="expected uint8 and float32"):
        look_up(IMAGE.astype(np.int32))
    with pytest.raises(DTypeError, match="expected uint8 and float32"):
        look_up(tables=TABLES.astype(np.float64))
    with pytest.raises(ShapeError, match=r"expected \(h, w, c\) and \(c, 256\)"):
        look_up(tables=TABLES[:2])
    with pytest.raises(ShapeError, match=r"expected \(h, w, c\) and \(c, 256\)"):
        look_up(IMAGE[0])
