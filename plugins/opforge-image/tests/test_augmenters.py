"""Tests of crops, rotations and augmenters: shapes, positions, random choices and dumps."""

import json
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import opforge as mx
from opforge import nd
from opforge.base.errors import AttributeValueError, OpforgeError, ShapeError

image = mx.image
BYTES = np.random.default_rng(0).integers(0, 256, (61, 97, 3), dtype=np.uint8)
PICTURE = nd.array(BYTES, dtype="uint8")
FLOATS = PICTURE.astype("float32")


@settings(max_examples=80, deadline=None)
@given(*[st.integers(1, 300)] * 4)
def test_scale_down(width, height, max_width, max_height):
    size = image.scale_down((width, height), (max_width, max_height))
    assert size[0] <= min(width, max_width) and size[1] <= min(height, max_height)
    if max_width <= width and max_height <= height:
        assert size == (max_width, max_height)


@pytest.mark.parametrize(
    "crop",
    [
        lambda: image.fixed_crop(PICTURE, 0, 0, 0, 2),
        lambda: image.fixed_crop(PICTURE, -1, 0, 2, 2),
        lambda: image.fixed_crop(PICTURE, 97, 0, 2, 2),
        lambda: image.random_crop(PICTURE, (0, 2)),
        lambda: image.random_crop(PICTURE, (2, -1)),
        lambda: image.center_crop(PICTURE, (2, 0)),
        lambda: image.CenterCropAug((0, 2))(PICTURE),
        lambda: image.RandomCropAug((0, 2))(PICTURE),
    ],
)
def test_crops_without_pixels_are_rejected(crop):
    with pytest.raises(ShapeError, match="has no pixels in the image of size 97 x 61"):
        crop()


@pytest.mark.parametrize("transform", ["CenterCrop", "RandomCrop"])
@pytest.mark.parametrize("size", [0, (2, 0), (-1, 2)])
def test_transforms_to_no_pixels_are_rejected(transform, size):
    with pytest.raises(AttributeValueError, match=f"{transform}: size is .*at least 1"):
        getattr(mx.gluon.data.vision.transforms, transform)(size)


@pytest.mark.parametrize("size", [(40, 30), (97, 61), (140, 30), (200, 200), (1, 1)])
def test_crops_match_their_locations(size):
    crops = [image.center_crop(PICTURE, size, 1), image.random_crop(PICTURE, size, 1)]
    crops += [
        image.random_size_crop(PICTURE, size, area, (0.5, 2.0), 1) for area in (0.2, (0.2, 0.5))
    ]
    for part, (x, y, width, height) in crops:
        assert part.shape == (size[1], size[0], 3)
        assert 0 <= x <= 97 - width and 0 <= y <= 61 - height
        expected = nd.array(BYTES[y : y + height, x : x + width], dtype="uint8")
        if (width, height) != size:
            expected = image.imresize(expected, *size, 1)
        np.testing.assert_array_equal(part.asnumpy(), expected.asnumpy())


def test_random_area_is_within_its_limits():
    for _ in range(50):
        _, (_, _, width, height) = image.random_size_crop(PICTURE, (9, 9), (0.2, 0.4), (0.8, 1.25))
        assert 0.18 < width * height / (61 * 97) < 0.42
        assert 0.75 < width / height < 1.35
    # No crop of this aspect ratio fits, so the center is scaled down.
    _, part = image.random_size_crop(PICTURE, (9, 9), (0.9, 1.0), (0.01, 0.02))
    assert part == image.center_crop(PICTURE, (9, 9))[1]
    with pytest.warns(DeprecationWarning, match="use area"):
        image.random_size_crop(PICTURE, (9, 9), None, (1, 1), min_area=0.5)
    with pytest.raises(TypeError, match="max_area"):
        image.random_size_crop(PICTURE, (9, 9), 0.5, (1, 1), max_area=1)


def test_resize_short():
    assert image.resize_short(PICTURE, 20).shape == (20, 31, 3)
    assert image.resize_short(PICTURE.transpose((1, 0, 2)), 20).shape == (31, 20, 3)


def test_automatic_and_random_interpolation():
    half = image.imresize(PICTURE, 40, 30, 9)
    np.testing.assert_array_equal(half.asnumpy(), image.imresize(PICTURE, 40, 30, 3).asnumpy())
    double = image.imresize(PICTURE, 194, 122, 9)
    np.testing.assert_array_equal(double.asnumpy(), image.imresize(PICTURE, 194, 122, 2).asnumpy())
    random.seed(1)
    assert image.imresize(PICTURE, 4, 5, 10).shape == (5, 4, 3)
    for refused in (
        lambda: image.resize_short(PICTURE, 4, 7),
        lambda: image.imresize(PICTURE, 4, 5, 7),
    ):
        with pytest.raises((OpforgeError, ValueError), match="interp"):
            refused()


def test_copy_make_border():
    framed = image.copyMakeBorder(PICTURE, 1, 2, 3, 4, values=(1, 2, 3)).asnumpy()
    assert framed.shape == (64, 104, 3)
    np.testing.assert_array_equal(framed[1:-2, 3:-4], BYTES)
    assert framed[0, 0].tolist() == framed[-1, -1].tolist() == [1, 2, 3]
    repeated = image.copyMakeBorder(PICTURE, 1, 0, 0, 0, type=1).asnumpy()
    np.testing.assert_array_equal(repeated[0], BYTES[0])
    for bad in ({"top": -1}, {"type": 99}):
        with pytest.raises(OpforgeError, match=r"top|type 99"):
            image.copyMakeBorder(PICTURE, **{"top": 1, "bot": 1, "left": 1, "right": 1, **bad})


def test_rotations():
    image_chw = FLOATS.transpose((2, 0, 1))
    np.testing.assert_allclose(
        image.imrotate(image_chw, 0).asnumpy(), image_chw.asnumpy(), atol=1e-2
    )
    square = image_chw[:, :, 10:71]
    turned = image.imrotate(square, 90).asnumpy()
    np.testing.assert_allclose(turned, np.rot90(square.asnumpy(), axes=(1, 2)), atol=1e-2)
    white = nd.ones((2, 1, 30, 40))
    both = image.imrotate(white, nd.array([20.0, -70.0]), zoom_in=True).asnumpy()
    assert both[:, :, 2:-2, 2:-2].min() > 0.99
    small = image.imrotate(white, 20, zoom_out=True).asnumpy()
    assert small[:, :, [0, 0, -1, -1], [0, -1, 0, -1]].max() == 0 and small.mean() < 0.7
    assert image.random_rotate(white, (-20, 20)).shape == white.shape
    assert image.imrotate(nd.ones((1, 1, 1)), 45).shape == (1, 1, 1)


def test_invalid_rotations():
    image_chw = FLOATS.transpose((2, 0, 1))
    for error, message, arguments in (
        (ValueError, "both", (image_chw, 5, True, True)),
        (TypeError, "uint8; expected float32", (PICTURE, 5)),
        (TypeError, "must be a number", (image_chw, nd.array([5]))),
        (ValueError, "expected one angle per image", (image_chw.expand_dims(0), nd.array([5, 6]))),
        (ValueError, "expected", (nd.ones((2, 2)), 5)),
    ):
        with pytest.raises(error, match=message):
            image.imrotate(*arguments)


def test_create_augmenter():
    names = [
        type(augmenter).__name__
        for augmenter in image.CreateAugmenter(
            (3, 32, 28), 50, True, False, True, True, True, 0.1, 0.1, 0.1, 0.1, 0.1, 0.5
        )
    ]
    assert names == [
        *("ResizeAug", "RandomCropAug", "HorizontalFlipAug", "CastAug", "ColorJitterAug"),
        *("HueJitterAug", "LightingAug", "RandomGrayAug", "ColorNormalizeAug"),
    ]
    with pytest.raises(ValueError, match="rand_crop"):
        image.CreateAugmenter((3, 8, 8), rand_resize=True)
    with pytest.raises(ValueError, match=r"mean has shape \(2,\)"):
        image.CreateAugmenter((3, 8, 8), mean=np.ones(2))


@pytest.mark.parametrize("seed", range(5))
def test_augmenters_are_reproducible(seed):
    augmenters = image.CreateAugmenter(
        (3, 32, 28), 0, True, True, True, True, True, 0.2, 0.2, 0.2, 0.2, 0.1, 0.3, 10
    )
    outs = []
    for _ in range(2):
        random.seed(seed)
        np.random.seed(seed)
        image_chw = PICTURE
        for augmenter in augmenters[:-1]:  # each call shuffles their lists
            image_chw = augmenter(image_chw)
        outs.append(image_chw)
        augmenters = image.CreateAugmenter(
            (3, 32, 28), 0, True, True, True, True, True, 0.2, 0.2, 0.2, 0.2, 0.1, 0.3, 10
        )
    assert outs[0].shape == (32, 28, 3) and outs[0].dtype == np.float32
    np.testing.assert_array_equal(outs[0].asnumpy(), outs[1].asnumpy())
    np.testing.assert_array_equal(PICTURE.asnumpy(), BYTES)  # unchanged by augmenters


def test_dumps():
    assert image.ResizeAug(9).dumps() == '["resizeaug", {"size": 9, "interp": 2}]'
    normalize = json.loads(image.ColorNormalizeAug(nd.array([1, 2, 3]), None).dumps())
    assert normalize == ["colornormalizeaug", {"mean": [1.0, 2.0, 3.0], "std": None}]
    jitter = image.SequentialAug([image.ColorJitterAug(0.5, 0, 0.25)]).dumps()
    assert jitter[0] == "sequentialaug"
    assert jitter[1][0][1] == [
        '["brightnessjitteraug", {"brightness": 0.5}]',
        '["saturationjitteraug", {"saturation": 0.25}]',
    ]


def test_colors():
    grays = {image.RandomGrayAug(p)(FLOATS).asnumpy().std(axis=2).max() > 1 for p in (0.0, 1.0)}
    assert grays == {True, False}
    still = image.HueJitterAug(0.0)(FLOATS).asnumpy()
    np.testing.assert_allclose(still, BYTES, atol=1)
    flat = nd.full((2, 2, 3), 50.0)
    for kind in (image.ContrastJitterAug, image.SaturationJitterAug):
        np.testing.assert_allclose(kind(0.5)(flat.copy()).asnumpy(), flat.asnumpy(), rtol=1e-4)
    assert image.color_normalize(flat, nd.array([50.0]), nd.array([2.0])) is flat
    assert flat.asnumpy().max() == 0
    with pytest.raises(NotImplementedError, match="Augmenter"):
        image.Augmenter()(flat)
