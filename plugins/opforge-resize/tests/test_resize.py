"""Padding, cropping, upsampling, interpolation: values, gradients and rejected arguments."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from opforge_resize import checks

from opforge import autograd, gluon, nd, sym
from opforge.base.errors import AttributeValueError, DTypeError, ShapeError
from opforge.testing import check_gradients, check_ways

RNG = np.random.default_rng(0)
X = RNG.standard_normal((2, 3, 4, 5))
TOLERANCES = {"float16": 4e-3, "float32": 1e-5, "float64": 1e-12}


@pytest.mark.parametrize("dtype", sorted(TOLERANCES))
@pytest.mark.parametrize(
    ("name", "shapes", "attributes", "reference"),
    [
        ("pad", [X.shape], {"mode": "reflect", "pad_width": checks.AROUND}, checks.pad),
        ("Crop", [X.shape], {"h_w": (2, 3), "offset": (2, 1)}, checks.crop),
        ("UpSampling", [X.shape], {"scale": 3, "sample_type": "nearest"}, checks.upsample),
        (
            "UpSampling",
            [X.shape, (3, 1, 4, 4)],
            {"scale": 2, "sample_type": "bilinear", "num_filter": 3},
            checks.upsample,
        ),
        ("_contrib_BilinearResize2D", [X.shape], {"height": 9, "width": 2}, checks.resize),
        ("depth_to_space", [(2, 8, 2, 3)], {"block_size": 2}, checks.to_space),
        ("space_to_depth", [(2, 2, 4, 6)], {"block_size": 2}, checks.to_depth),
    ],
)
def test_types_gradients_and_calling_forms(name, shapes, attributes, reference, dtype):
    values = [RNG.standard_normal(shape).astype(dtype) for shape in shapes]
    have = getattr(nd, name)(*[nd.array(x, dtype=dtype) for x in values], **attributes)
    want = reference(*[x.astype("float64") for x in values], **attributes)
    assert have.dtype == np.dtype(dtype)
    np.testing.assert_allclose(have.asnumpy(), want, TOLERANCES[dtype], 2 * TOLERANCES[dtype])
    if dtype == "float64":
        check_gradients(lambda *a: getattr(nd, name)(*a, **attributes), values, rtol=1e-4)
        check_ways(lambda F, *a: getattr(F, name)(*a, **attributes), values)


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(["constant", "edge", "reflect"]),
    st.lists(st.integers(1, 6), min_size=2, max_size=3),
    st.data(),
)
def test_any_padding(mode, lengths, data):
    shape = (2, 2, *lengths)
    widths = [0, 0, 0, 0]
    for length in lengths:
        most = length - 1 if mode == "reflect" else 9
        widths += data.draw(st.tuples(st.integers(0, most), st.integers(0, most)))
    x = np.arange(float(np.prod(shape))).reshape(shape)
    given_array = nd.array(x, dtype="float64")
    given_array.attach_grad()
    with autograd.record():
        y = nd.pad(given_array, mode=mode, pad_width=widths, constant_value=-1)
    y.backward()
    want = checks.pad(x, mode, widths, -1.0)
    np.testing.assert_array_equal(y.asnumpy(), want)
    counts = [(want == value).sum() for value in x.ravel()]
    assert given_array.grad.asnumpy().ravel().tolist() == counts


@settings(max_examples=60, deadline=None)
@given(st.tuples(*[st.integers(1, 9)] * 4), st.booleans())
def test_any_size(sizes, align_corners):
    height, width, new_height, new_width = sizes
    x = np.sin(np.arange(2.0 * height * width)).reshape(1, 2, height, width)
    attributes = {"height": new_height, "width": new_width, "align_corners": align_corners}
    data = nd.array(x, dtype="float64")
    data.attach_grad()
    with autograd.record():
        y = nd.contrib.BilinearResize2D(data, **attributes)
    y.backward()
    np.testing.assert_allclose(y.asnumpy(), checks.resize(x, **attributes), 1e-9, 1e-12)
    # Each result is a weighted average, whose weights sum to 1.
    np.testing.assert_allclose(data.grad.asnumpy().sum(), 2 * new_height * new_width)


@pytest.mark.parametrize(
    ("mode", "size"),
    [("to_even_down", 4), ("to_even_up", 6), ("to_odd_down", 5), ("to_odd_up", 5)],
)
def test_modes_that_round_to_a_parity(mode, size):
    assert nd.contrib.BilinearResize2D(nd.ones((1, 1, 5, 5)), mode=mode).shape[2] == size
    odd_scale = {"mode": "odd_scale", "scale_height": 2, "scale_width": 0.5}
    assert nd.contrib.BilinearResize2D(nd.ones((1, 1, 5, 4)), **odd_scale).shape == (1, 1, 9, 2)


def test_the_shape_of_upsampling_weights_is_inferred():
    up = sym.UpSampling(sym.var("x"), scale=3, sample_type="bilinear", num_filter=4, name="up")
    assert up.list_arguments() == ["x", "up_weight"]
    shapes, outputs, _ = up.infer_shape(x=(1, 4, 2, 3))
    assert shapes[1] == (4, 1, 5, 5) and outputs == [(1, 4, 6, 9)]


@pytest.mark.parametrize(
    "call",
    [
        lambda x: nd.pad(x, mode="edge", pad_width=(0, 0, 0, 0, 1, 1, 0, 0)),
        lambda x: nd.UpSampling(x, scale=2, sample_type="nearest"),
        lambda x: nd.contrib.BilinearResize2D(x, height=2, width=2),
        lambda x: nd.Crop(x, h_w=(1, 1)),
    ],
)
@pytest.mark.parametrize("shape", [(0, 2, 3, 3), (2, 0, 3, 3), (2, 2, 0, 3)])
def test_empty_data(call, shape):
    x = nd.ones(shape)
    x.attach_grad()
    with autograd.record():
        y = call(x)
    y.backward()
    assert y.shape[:2] == shape[:2] and x.grad.shape == shape
    assert not y.asnumpy().any()


INVALID = [
    ("pad", [(2, 3)], {"mode": "edge", "pad_width": (0,) * 4}, "four or five dimensions"),
    ("pad", [X.shape], {"mode": "edge", "pad_width": (0,) * 6}, "pad_width has 6 numbers"),
    ("pad", [X.shape], {"mode": "edge", "pad_width": (1,) * 8}, "first two axes"),
    ("pad", [X.shape], {"mode": "reflect", "pad_width": (0,) * 6 + (5, 0)}, "at most 4"),
    ("Crop", [X.shape], {}, "h_w"),
    ("Crop", [X.shape], {"h_w": (5, 1)}, "does not fit axis 2"),
    ("Crop", [X.shape], {"h_w": (2, 3), "offset": (0, 3)}, "does not fit axis 3"),
    ("Crop", [(2, 3)], {"h_w": (1, 1)}, "four dimensions"),
    (
        "UpSampling",
        [X.shape, (2, 1, 3, 5)],
        {"scale": 2, "sample_type": "nearest"},
        "integer factor",
    ),
    ("UpSampling", [X.shape, (1, 1, 4, 5)], {"scale": 2, "sample_type": "nearest"}, "images"),
    (
        "UpSampling",
        [X.shape, (3, 1, 4, 4)],
        {"scale": 2, "sample_type": "bilinear", "num_filter": 2},
        "num_filter=3",
    ),
    ("depth_to_space", [(3,)], {"block_size": 2}, "(n, channels, height, width)"),
    ("depth_to_space", [X.shape], {"block_size": 2}, "multiple of 4 on axis 1"),
    ("space_to_depth", [X.shape], {"block_size": 2}, "multiple of 2 on axis 3"),
    ("_contrib_BilinearResize2D", [(3, 4)], {}, "four dimensions"),
    ("_contrib_BilinearResize2D", [X.shape], {"scale_height": 2}, "scale_width"),
    (
        "_contrib_BilinearResize2D",
        [X.shape],
        {"scale_height": 0.01, "scale_width": 1},
        "an axis of 0 elements",
    ),
]


@pytest.mark.parametrize(("name", "shapes", "attributes", "message"), INVALID)
def test_invalid_shapes_raise(name, shapes, attributes, message):
    with pytest.raises(ShapeError, match=message):
        getattr(nd, name)(*[nd.ones(shape) for shape in shapes], **attributes)


def test_invalid_attributes_and_types_raise():
    with pytest.raises(AttributeValueError, match="pad_width"):
        nd.pad(nd.ones(X.shape), mode="edge", pad_width=(0, 0, 0, 0, -1, 0, 0, 0))
    with pytest.raises(DTypeError, match=r"int32.*astype"):
        nd.pad(nd.ones(X.shape, dtype="int32"), mode="edge", pad_width=(0,) * 8)
    with pytest.raises(ValueError, match="padding is"):
        gluon.nn.ReflectionPad2D((1, 2))


def test_reflection_padding_layer():
    layer = gluon.nn.ReflectionPad2D(2)
    want = np.pad(X, ((0, 0), (0, 0), (2, 2), (2, 2)), "reflect")
    for _ in range(2):
        np.testing.assert_allclose(layer(nd.array(X)).asnumpy(), want, 1e-6)
        layer.hybridize()
    assert gluon.nn.ReflectionPad2D((0, 0, 0, 0, 1, 2, 3, 1))(nd.array(X)).shape == (2, 3, 7, 9)
