"""Tests of `nd.image` and `sym.image`: values, random choices, errors and gradients."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import opforge as mx
from opforge import autograd, nd, sym
from opforge.base.errors import OpforgeError
from opforge.testing import check_ways

RNG = np.random.default_rng(0)
BYTES = RNG.integers(0, 256, (9, 11, 3), dtype=np.uint8)
IMAGE = nd.array(BYTES, dtype="uint8")
GRAY = np.array([0.299, 0.587, 0.114])


def test_to_tensor_and_normalize():
    for images, axes in ((BYTES, (2, 0, 1)), (np.stack([BYTES] * 2), (0, 3, 1, 2))):
        tensor = nd.image.to_tensor(nd.array(images, dtype="uint8"))
        expected = images.transpose(axes).astype(np.float32) / np.float32(255)
        np.testing.assert_array_equal(tensor.asnumpy(), expected)
        out = nd.image.normalize(tensor, mean=(0.1, 0.2, 0.3), std=(0.4, 0.5, 0.6))
        mean, std = (np.float32(v).reshape(3, 1, 1) for v in ((0.1, 0.2, 0.3), (0.4, 0.5, 0.6)))
        np.testing.assert_array_equal(out.asnumpy(), (expected - mean) / std)
    assert nd.image.normalize(IMAGE.transpose((2, 0, 1)), 1, 2).dtype == np.uint8


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_crop(data):
    x, y = data.draw(st.integers(0, 10)), data.draw(st.integers(0, 8))
    width, height = data.draw(st.integers(1, 11 - x)), data.draw(st.integers(1, 9 - y))
    out = nd.image.crop(IMAGE, x, y, width, height)
    np.testing.assert_array_equal(out.asnumpy(), BYTES[y : y + height, x : x + width])


def test_images_are_flipped():
    np.testing.assert_array_equal(nd.image.flip_left_right(IMAGE).asnumpy(), BYTES[:, ::-1])
    np.testing.assert_array_equal(nd.image.flip_top_bottom(IMAGE).asnumpy(), BYTES[::-1])
    for flip, turned in (
        (nd.image.random_flip_left_right, BYTES[:, ::-1]),
        (nd.image.random_flip_top_bottom, BYTES[::-1]),
    ):
        seen = [flip(IMAGE).asnumpy() for _ in range(60)]
        counts = [
            sum(np.array_equal(out, expected) for out in seen) for expected in (BYTES, turned)
        ]
        assert sum(counts) == 60 and min(counts) > 5, counts


@pytest.mark.parametrize("factor", [0.0, 0.5, 1.0, 1.7])
def test_colors_change_by_a_factor(factor):
    data = BYTES.astype(np.float64)
    gray = data @ GRAY
    wants = {
        "brightness": data * factor,
        "contrast": data * factor + gray.mean() * (1 - factor),
        "saturation": data * factor + gray[..., None] * (1 - factor),
    }
    for name, expected in wants.items():
        change = getattr(nd.image, f"random_{name}")
        out = change(IMAGE.astype("float64"), factor, factor).asnumpy()
        np.testing.assert_allclose(out, expected, rtol=1e-5, atol=1e-4)
        bytes_out = change(IMAGE, factor, factor)
        assert bytes_out.dtype == np.uint8
        # Results are truncated; rounding errors may change them by one.
        assert np.abs(bytes_out.asnumpy() - np.floor(expected.clip(0, 255))).max() <= 1


def test_random_hue():
    colors = nd.array([[[255, 0, 0], [0, 200, 0], [10, 10, 90], [7, 7, 7]]], dtype="uint8")
    out = nd.image.random_hue(colors, 1 / 3, 1 / 3).asnumpy()
    expected = [[[0, 255, 0], [0, 0, 200], [90, 10, 10], [7, 7, 7]]]
    assert np.abs(out.astype(int) - expected).max() <= 1
    same = nd.image.random_hue(IMAGE, 1, 1).asnumpy().astype(int)
    assert np.abs(same - BYTES).max() <= 1


def test_factors_are_within_their_limits():
    ones = nd.ones((1, 1, 3))
    drawn = np.array(
        [nd.image.random_brightness(ones, 0.5, 2).asnumpy()[0, 0, 0] for _ in range(99)]
    )
    assert 0.5 <= drawn.min() < 0.8 and 1.7 < drawn.max() <= 2
    mx.random.seed(7)
    first = nd.image.random_color_jitter(IMAGE, 0.3, 0.3, 0.3, 0.3).asnumpy()
    mx.random.seed(7)
    np.testing.assert_array_equal(
        nd.image.random_color_jitter(IMAGE, 0.3, 0.3, 0.3, 0.3).asnumpy(), first
    )
    np.testing.assert_array_equal(nd.image.random_color_jitter(IMAGE, 0, 0, 0, 0), BYTES)


def test_lighting():
    out = nd.image.adjust_lighting(IMAGE.astype("float32"), alpha=(0.3, -0.2, 0.4)).asnumpy()
    added = (out - BYTES)[0, 0]
    vectors = np.array(
        [[-0.5675, 0.7192, 0.4009], [-0.5808, -0.0045, -0.8140], [-0.5836, -0.6948, 0.4203]]
    )
    expected = vectors @ (np.array([55.46, 4.794, 1.148]) * [0.3, -0.2, 0.4])
    np.testing.assert_allclose(added, expected, rtol=1e-4)
    lights = [nd.image.random_lighting(nd.zeros((1, 1, 3)), 0.1).asnumpy() for _ in range(200)]
    assert 2 < np.std(lights) < 5
    np.testing.assert_array_equal(nd.image.random_lighting(IMAGE, 0.0).asnumpy(), BYTES)
    one = IMAGE[:, :, :1]
    np.testing.assert_array_equal(nd.image.random_lighting(one, 5.0).asnumpy(), BYTES[:, :, :1])


def test_sizes():
    shapes = {
        (20,): (20, 20, 3),
        (4, 5): (5, 4, 3),
    }
    for size, shape in shapes.items():
        assert nd.image.resize(IMAGE, size).shape == shape
    assert nd.image.resize(IMAGE, 4, keep_ratio=True).shape == (4, 4, 3)
    assert nd.image.resize(IMAGE.transpose((1, 0, 2)), 18, keep_ratio=True).shape == (22, 18, 3)
    batch = nd.stack(IMAGE, IMAGE * 2)
    out = nd.image.resize(batch, (5, 4), interp=0).asnumpy()
    for at in range(2):
        single = nd.image.resize(batch[at], (5, 4), interp=0).asnumpy()
        np.testing.assert_array_equal(out[at], single)
    np.testing.assert_array_equal(nd.image.resize(IMAGE, (11, 9)).asnumpy(), BYTES)


WRONG = [
    ("flip_left_right", (9, 11), {}, "height, width, channels"),
    ("flip_left_right", (2, 9, 11, 3), {}, "height, width, channels"),
    ("random_hue", (9, 11, 4), {"min_factor": 1, "max_factor": 1}, "with 1 or 3 channels"),
    ("random_hue", (9, 11, 3), {"min_factor": -1, "max_factor": 1}, "min_factor"),
    ("random_hue", (9, 11, 3), {"min_factor": 2, "max_factor": 1}, "at most max_factor"),
    ("adjust_lighting", (9, 11, 3), {"alpha": (1, 2)}, "three numbers"),
    ("to_tensor", (9, 11), {}, "height, width, channels"),
    ("normalize", (3, 9, 11), {"mean": (1, 2)}, "mean has 2 numbers"),
    ("normalize", (3, 9), {}, "returned by to_tensor"),
    ("crop", (9, 11, 3), {"x": 9, "y": 0, "width": 3, "height": 1}, "exceeds the image"),
    ("crop", (9, 11, 3), {"x": 0, "y": 0, "width": 0, "height": 1}, "width"),
    ("crop", (9, 11, 3), {"x": 2**31 - 1, "y": 0, "width": 2**31 - 1, "height": 1}, "exceeds"),
    ("resize", (9, 11, 3), {"size": ()}, "expected .width, height."),
    ("resize", (9, 11, 3), {"size": (1, 2, 3)}, "expected .width, height."),
    ("resize", (9, 11, 3), {"size": -1}, "expected .width, height."),
    ("resize", (9, 11, 3), {"size": 5, "interp": 9}, "interp is 9"),
    ("resize", (0, 11, 3), {"size": 5}, "at least one pixel"),
]


@pytest.mark.parametrize(("name", "shape", "attributes", "message"), WRONG)
def test_invalid_arguments_are_rejected(name, shape, attributes, message):
    with pytest.raises(OpforgeError, match=message):
        getattr(nd.image, name)(nd.zeros(shape), **attributes)


def test_types_that_opencv_cannot_resize_are_rejected():
    with pytest.raises(OpforgeError, match="float16; expected float32, float64 or uint8"):
        nd.image.resize(nd.zeros((2, 2, 3), dtype="float16"), 3)


def test_gradients():
    data = RNG.uniform(20, 200, (3, 4, 3))
    for name, attributes in (
        ("to_tensor", {}),
        ("crop", {"x": 1, "y": 0, "width": 2, "height": 2}),
        ("flip_left_right", {}),
        ("random_contrast", {"min_factor": 0.5, "max_factor": 0.5}),
        ("random_saturation", {"min_factor": 0.5, "max_factor": 0.5}),
    ):
        check_ways(lambda F, x, n=name, a=attributes: getattr(F.image, n)(x, **a), [data])
    x = nd.array(data)
    x.attach_grad()
    with autograd.record():
        out = nd.image.normalize(x.transpose((2, 0, 1)), std=(2.0, 4.0, 8.0))
    out.backward()
    assert x.grad.asnumpy()[0, 0].tolist() == [0.5, 0.25, 0.125]


def test_symbols_infer_and_run():
    net = sym.image.normalize(sym.image.to_tensor(sym.image.resize(sym.var("data"), (4, 6))), 0.5)
    assert net.infer_shape(data=(9, 11, 3))[1] == [(3, 6, 4)]
    assert net.infer_shape(data=(2, 9, 11, 3))[1] == [(2, 3, 6, 4)]
    out = net.eval(data=IMAGE)[0]
    expected = nd.image.normalize(nd.image.to_tensor(nd.image.resize(IMAGE, (4, 6))), 0.5)
    np.testing.assert_array_equal(out.asnumpy(), expected.asnumpy())
