"""Transforms of sizes and places by operators of opforge-image."""

import random

import numpy as np
import pytest

from opforge import nd
from opforge.gluon.data.vision import transforms

BYTES = np.random.default_rng(0).integers(0, 256, (12, 16, 3), dtype=np.uint8)


def image():
    return nd.array(BYTES, dtype="uint8")


@pytest.mark.parametrize(
    ("transform", "shape"),
    [
        (transforms.Resize(6), (6, 6, 3)),
        (transforms.Resize((5, 7)), (7, 5, 3)),
        (transforms.Resize(6, keep_ratio=True, interpolation=2), (6, 8, 3)),
        (transforms.CropResize(1, 2, 10, 8), (8, 10, 3)),
        (transforms.CropResize(1, 2, 10, 8, size=(3, 4), interpolation=0), (4, 3, 3)),
        (transforms.RandomResizedCrop((5, 7)), (7, 5, 3)),
        (transforms.RandomResizedCrop(5, scale=(0.5, 1.0), interpolation=10), (5, 5, 3)),
    ],
)
def test_shapes_and_types(transform, shape):
    for _ in range(2):
        out = transform(image())
        assert (out.shape, out.dtype) == (shape, np.uint8)
        transform.hybridize()
    np.testing.assert_array_equal(image().asnumpy(), BYTES)


def test_values():
    out = transforms.CropResize(1, 2, 10, 8)(image()).asnumpy()
    np.testing.assert_array_equal(out, BYTES[2:10, 1:11])
    assert transforms.CenterCrop(20)(image()).shape == (20, 20, 3)


def test_rotations():
    tensor = transforms.ToTensor()(image())
    for rotate in (transforms.Rotate(30), transforms.RandomRotation((-5, 5), zoom_in=True)):
        assert rotate(tensor).shape == tensor.shape
        with pytest.raises(TypeError, match=r"uint8; expected float32\. Apply it after ToTensor"):
            rotate(image())
    assert transforms.RandomRotation((-5, 5), rotate_with_proba=0.0)(tensor) is tensor
    with pytest.raises(ValueError, match="angle_limits"):
        transforms.RandomRotation((5, -5))
    with pytest.raises(ValueError, match="rotate_with_proba"):
        transforms.RandomRotation((-5, 5), rotate_with_proba=2)


def test_some_are_transformed():
    random.seed(0)
    for given in (lambda x: x + 1, [lambda x: x + 1]):
        some = transforms.RandomApply(given, p=0.5)
        assert {some(0) for _ in range(50)} == {0, 1}
        assert transforms.RandomApply(given, p=0.0)(0) == 0


def test_a_pipeline():
    pipeline = transforms.Compose(
        [
            transforms.RandomResizedCrop(8),
            transforms.RandomFlipLeftRight(),
            transforms.RandomColorJitter(0.4, 0.4, 0.4),
            transforms.RandomLighting(0.1),
            transforms.ToTensor(),
            transforms.Normalize((0.485, 0.456, 0.406), (0.229, 0.224, 0.225)),
        ]
    )
    out = pipeline(image())
    assert (out.shape, out.dtype) == ((3, 8, 8), np.float32)
