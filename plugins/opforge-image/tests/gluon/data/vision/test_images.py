"""Images of NumPy and Pillow as inputs of transforms."""

import random

import numpy as np
import pytest

import opforge as mx
from opforge import nd
from opforge.gluon.data.vision import transforms

BYTES = np.arange(16 * 16 * 3, dtype=np.uint8).reshape(16, 16, 3)
FLOATS = BYTES.astype("float32").transpose(2, 0, 1)
OF_BYTES = [
    transforms.Cast(),
    transforms.CenterCrop(8),
    transforms.CropResize(0, 0, 8, 8),
    transforms.RandomBrightness(0.1),
    transforms.RandomColorJitter(0.1),
    transforms.RandomCrop(8, pad=1),
    transforms.RandomFlipLeftRight(),
    transforms.RandomFlipTopBottom(),
    transforms.RandomGray(),
    transforms.RandomLighting(0.1),
    transforms.RandomResizedCrop(8),
    transforms.Resize(8),
    transforms.ToTensor(),
]
OF_FLOATS = [
    transforms.Normalize(0.5, 0.5),
    transforms.Rotate(30),
    transforms.RandomRotation((-30, 30), rotate_with_proba=0.5),
]
CASES = [(t, BYTES) for t in OF_BYTES] + [(t, FLOATS) for t in OF_FLOATS]


class PillowImage:
    """What transforms read of a Pillow image."""

    def __init__(self, array, mode):
        self._array, self.mode = array, mode

    def getbands(self):
        return tuple(self.mode)

    def __array__(self, dtype=None, copy=None):
        return self._array


def seeded(transform, image):
    np.random.seed(3)
    random.seed(3)
    mx.random.seed(3)
    return transform(image)


@pytest.mark.parametrize(("transform", "image"), CASES, ids=lambda value: type(value).__name__)
def test_numpy_images(transform, image):
    for _ in range(20):  # random ones return the image itself for some draws
        assert type(transform(image)) is nd.NDArray
    expected = seeded(transform, nd.array(image, dtype=image.dtype))
    np.testing.assert_array_equal(seeded(transform, image).asnumpy(), expected.asnumpy())


def test_pillow_images():
    to_tensor = transforms.ToTensor()
    expected = to_tensor(BYTES).asnumpy()
    np.testing.assert_array_equal(to_tensor(PillowImage(BYTES, "RGB")).asnumpy(), expected)
    gray = to_tensor(PillowImage(BYTES[:, :, 0], "L"))
    np.testing.assert_array_equal(gray.asnumpy(), expected[:1])
    with pytest.raises(ValueError, match=r"mode 'P', .* use image\.convert\('RGB'\)"):
        to_tensor(PillowImage(BYTES[:, :, 0], "P"))
