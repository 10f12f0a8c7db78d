"""Transforms of colors by operators of opforge-image."""

import numpy as np
import pytest

from opforge import nd
from opforge.gluon.data.vision import transforms

BYTES = np.random.default_rng(0).integers(0, 256, (12, 16, 3), dtype=np.uint8)


def image():
    return nd.array(BYTES, dtype="uint8")


@pytest.mark.parametrize(
    "transform",
    [
        transforms.RandomBrightness(0.5),
        transforms.RandomContrast(0.5),
        transforms.RandomSaturation(0.5),
        transforms.RandomHue(0.5),
        transforms.RandomColorJitter(0.2, 0.2, 0.2, 0.2),
        transforms.RandomLighting(0.5),
        transforms.RandomGray(1.0),
    ],
)
def test_shapes_and_types(transform):
    for _ in range(2):
        out = transform(image())
        assert (out.shape, out.dtype) == (BYTES.shape, np.uint8)
        transform.hybridize()
    np.testing.assert_array_equal(image().asnumpy(), BYTES)


def test_values():
    for still in (
        transforms.RandomBrightness(0),
        transforms.RandomColorJitter(),
        transforms.RandomLighting(0.0),
        transforms.RandomGray(0.0),
    ):
        np.testing.assert_array_equal(still(image()).asnumpy(), BYTES)
    assert transforms.RandomGray(1.0)(image()).asnumpy().std(axis=2).max() < 1
