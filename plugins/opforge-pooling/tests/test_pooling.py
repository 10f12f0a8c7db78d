"""Pooling against plain NumPy: values, gradients, ties, NaN, and rejected arguments."""

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from opforge_pooling.checks import adaptive, pooling
from opforge_pooling.operators import Pooling

from opforge import autograd, nd
from opforge.base.errors import AttributeValueError, DTypeError, ShapeError
from opforge.testing import check_gradients, check_ways

RNG = np.random.default_rng(0)
LAYOUTS = {1: "NWC", 2: "NHWC", 3: "NDHWC"}


def spread(shape):
    """Return numbers in random order, no two of which are close."""
    return RNG.permutation(np.linspace(-2, 2, int(np.prod(shape)))).reshape(shape)


def both(x, **attributes):
    """Return the result and the gradient of its sum."""
    data = nd.array(x, dtype=x.dtype)
    data.attach_grad()
    with autograd.record():
        y = nd.Pooling(data, **attributes)
    y.backward()
    return y.asnumpy(), data.grad.asnumpy()


@st.composite
def calls(draw):
    spatial = draw(st.integers(1, 3))
    lengths = draw(st.tuples(*[st.integers(1, 9)] * spatial))
    pad = draw(st.tuples(*[st.integers(0, 2)] * spatial))
    kernel = tuple(
        draw(st.integers(p + 1, n + 2 * p)) if n > p else p + 1
        for n, p in zip(lengths, pad, strict=True)
    )
    attributes = {
        "kernel": kernel,
        "pad": pad,
        "stride": tuple(draw(st.integers(1, k)) for k in kernel),
        "pooling_convention": draw(st.sampled_from(["valid", "full"])),
        "pool_type": draw(st.sampled_from(["max", "sum", "lp"])),
    }
    if attributes["pool_type"] == "lp":
        attributes["p_value"] = draw(st.sampled_from([1, 2]))
    if draw(st.booleans()):
        attributes["layout"] = LAYOUTS[spatial]
    return draw(st.integers(0, 3)), draw(st.integers(1, 70)), lengths, attributes


@settings(max_examples=150, deadline=None)
@given(calls())
def test_any_window(call):
    images, channels, lengths, attributes = call
    shape = (images, channels, *lengths)
    if "layout" in attributes:
        shape = (images, *lengths, channels)
    x = np.sin(np.arange(np.prod(shape))).reshape(shape)
    have, grad = both(x, **attributes)
    want = pooling(x, **attributes)
    # MXNet's last window may be empty; NumPy's maximum of an empty window is -inf.
    want = np.maximum(want, np.finfo(x.dtype).min) if attributes["pool_type"] == "max" else want
    np.testing.assert_allclose(have, want, rtol=1e-9, atol=1e-9)
    if attributes["pool_type"] == "max":
        found = int((want > -10).sum())
        assert grad.sum() == found
    single, _ = both(x.astype("float32"), **attributes)
    want = np.maximum(want, np.finfo(single.dtype).min)
    np.testing.assert_allclose(single, want, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("attributes", [{"pool_type": "max"}, {"pool_type": "avg"}])
@pytest.mark.parametrize("layout", [None, "NHWC"])
@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "float32", "float64"])
def test_types(attributes, layout, dtype):
    x = spread((3, 4, 9, 7)).astype(dtype)
    attributes = {**attributes, "layout": layout, "kernel": (3, 3), "stride": (2, 2)}
    have, grad = both(x, **attributes)
    assert have.dtype == grad.dtype == np.dtype(dtype)
    tolerance = {"bfloat16": 2e-2, "float16": 2e-3, "float32": 1e-6, "float64": 1e-12}[dtype]
    want = pooling(x.astype("float64"), **attributes)
    np.testing.assert_allclose(have, want, tolerance, tolerance)


@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
@pytest.mark.parametrize("pool_type", ["max", "avg", "sum", "lp"])
@pytest.mark.parametrize("stride", [1, 2, 3])
def test_gradients_and_calling_forms(layout, pool_type, stride):
    attributes = {"kernel": (3, 2), "stride": (stride, stride), "pad": (1, 0)}
    attributes |= {"layout": layout, "pool_type": pool_type}
    attributes["p_value"] = 2 if pool_type == "lp" else None
    x = spread((2, 4, 5, 3))
    check_gradients(lambda a: nd.Pooling(a, **attributes), [x], rtol=1e-4)
    check_ways(lambda F, a: F.Pooling(a, **attributes), [x])


@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
@pytest.mark.parametrize("global_pool", [False, True])
def test_the_first_of_equal_maxima_gets_the_gradient(layout, global_pool):
    _, grad = both(np.ones((1, 4, 4, 1) if layout == "NHWC" else (1, 1, 4, 4)), kernel=(2, 2),
                   stride=(2, 2), layout=layout, global_pool=global_pool)  # fmt: skip
    positions = np.argwhere(grad.reshape(4, 4)).tolist()
    assert positions == ([[0, 0]] if global_pool else [[0, 0], [0, 2], [2, 0], [2, 2]])


@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "float32", "float64"])
def test_nan_is_ignored_and_an_empty_maximum_is_the_lowest_number(layout, dtype):
    x = np.array([[np.nan, 1, np.nan, np.nan], [np.nan, 0, -np.inf, -np.inf]], dtype=dtype)
    x = x.reshape((1, 2, 4, 1) if layout == "NHWC" else (1, 1, 2, 4))
    y, grad = both(x, kernel=(2, 2), stride=(2, 2), layout=layout)
    assert y.ravel().tolist() == [1, float(ml_dtypes.finfo(dtype).min)]
    assert grad.ravel().tolist() == [0, 1, 0, 0, 0, 0, 0, 0]


@pytest.mark.parametrize("length", [15, 16])
def test_positions_use_the_smallest_sufficient_type(length):
    window = {"kernel": (length, 17), "stride": (3, 3)}
    types = Pooling(**window).infer_type([np.float32])[1]
    assert types == [np.float32, np.uint8 if length == 15 else np.int32]
    x = spread((2, 2, 31, 33))
    _, grad = both(x, **window)
    want = np.zeros_like(x)
    for n, c, i, j in np.ndindex(2, 2, (31 - length) // 3 + 1, 6):
        cut = x[n, c, 3 * i : 3 * i + length, 3 * j : 3 * j + 17]
        at = np.unravel_index(cut.argmax(), cut.shape)
        want[n, c, 3 * i + at[0], 3 * j + at[1]] += 1
    np.testing.assert_array_equal(grad, want)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("pool_type", ["max", "avg", "sum"])
@pytest.mark.parametrize("size", [(2, 14), (3, 16), (4, 17), (5, 24), (6, 33), (9, 48)])
def test_adjacent_windows_give_the_same_as_channels_last(size, pool_type, dtype):
    x = spread((2, 3, *size)).astype(dtype)
    x[0, 1, :2, :2], x[1, 2, 1, 1], x[1, 0, :2, 2:4] = np.nan, np.nan, 0
    window = {"kernel": (2, 2), "stride": (2, 2), "pool_type": pool_type}
    have = both(x, **window)
    want = both(np.moveaxis(x, 1, -1).copy(), **window, layout="NHWC")
    for one, other in zip(have, want, strict=True):
        np.testing.assert_array_equal(one, np.moveaxis(other, -1, 1))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("pool_type", ["max", "avg", "sum", "lp"])
@pytest.mark.parametrize("window", [(2, 2), (3, 3), (4, 5), (16, 17)])
def test_channels_last_of_every_remainder(window, pool_type, dtype):
    """Vectors of channels give what planes give, in the last incomplete vector, too."""
    for channels in range(1, 36):
        x = spread((1, channels, 17, 18)).astype(dtype)
        x[0, channels // 2, 3, 4], x[0, -1, 8, 8], x[0, 0, 1, 1] = np.nan, np.inf, -np.inf
        attributes = {"kernel": window, "stride": (2, 3), "pad": (1, 1), "pool_type": pool_type}
        if pool_type == "lp":
            attributes["p_value"] = 2
        have = both(x, **attributes)
        want = both(np.moveaxis(x, 1, -1).copy(), **attributes, layout="NHWC")
        for one, other in zip(have, want, strict=True):
            np.testing.assert_allclose(one, np.moveaxis(other, -1, 1), rtol=1e-5, atol=1e-6)


def test_each_kind_saves_only_arrays_for_its_gradient():
    saved = {
        kind: Pooling(kernel=(2, 2), pool_type=kind, p_value=2).saves
        for kind in ("max", "avg", "sum", "lp")
    }
    assert saved == {"max": ("positions",), "avg": (), "sum": (), "lp": ("inputs", "output")}


@pytest.mark.parametrize("shape", [(0, 3, 5, 5), (2, 0, 5, 5)])
@pytest.mark.parametrize("attributes", [{}, {"global_pool": True}, {"layout": "NHWC"}])
@pytest.mark.parametrize("pool_type", ["max", "avg"])
def test_empty_data(shape, attributes, pool_type):
    y, grad = both(np.ones(shape), kernel=(2, 2), pool_type=pool_type, **attributes)
    assert y.size == 0 or np.isfinite(y).all()
    assert grad.shape == shape


def test_same_has_one_window_per_stride():
    x = np.arange(10.0).reshape(1, 1, 10)
    y, _ = both(x, kernel=3, stride=2, pad=(0, 0, 0), pooling_convention="same")
    assert y.ravel().tolist() == [2, 4, 6, 8, 9]


@pytest.mark.parametrize(
    ("shape", "attributes", "error", "message"),
    [
        ((2, 3), {"kernel": (1,)}, ShapeError, "expected 3, 4 or 5 dimensions"),
        ((1, 1, 4, 4), {}, ShapeError, r"kernel is \(\); expected 2 numbers"),
        ((1, 1, 4, 4), {"kernel": (2,)}, ShapeError, "expected 2 numbers"),
        ((1, 1, 4, 4), {"kernel": (5, 2)}, ShapeError, "does not fit: axis 0"),
        ((1, 1, 4, 4), {"kernel": (2, 2), "stride": (1,)}, ShapeError, "stride is"),
        ((1, 1, 4, 4), {"kernel": (2, 2), "layout": "NCW"}, ShapeError, "layout is 'NCW'"),
        ((1, 1, 4), {"kernel": 2, "pad": 1, "pooling_convention": "same"}, ShapeError, "no pad"),
        ((1, 1, 4, 4), {"kernel": (2, 2), "pooling_convention": "same"}, ShapeError, "'same'"),
        ((1, 1, 4, 4), {"kernel": (0, 2)}, AttributeValueError, "kernel"),
        ((1, 1, 4, 4), {"kernel": (2**31, 2)}, AttributeValueError, "kernel"),
        (
            (1, 1, 4, 4),
            {"kernel": (2**20, 2**20), "pad": (2**20, 2**20)},
            ShapeError,
            "more than 2147483647 elements",
        ),
        ((1, 1, 4, 4), {"kernel": (2, 2), "pool_type": "lp"}, AttributeValueError, "p_value"),
        ((1, 1, 4, 4), {"kernel": (2, 2), "pool_type": "min"}, AttributeValueError, "pool_type"),
    ],
)
def test_invalid_arguments_raise(shape, attributes, error, message):
    with pytest.raises(error, match=message):
        nd.Pooling(nd.ones(shape), **attributes)


def test_integer_data_raises():
    with pytest.raises(DTypeError, match=r"Pooling.*int32.*astype"):
        nd.Pooling(nd.ones((1, 1, 4, 4), dtype="int32"), kernel=(2, 2))


@pytest.mark.parametrize("size", [(), 1, (2, 3), (7, 9), (8, 11), (0, 3)])
@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "float32", "float64"])
def test_adaptive_averages(size, dtype):
    x = spread((2, 3, 7, 9)).astype(dtype)
    have = nd.contrib.AdaptiveAvgPooling2D(nd.array(x, dtype=dtype), output_size=size).asnumpy()
    tolerance = {"bfloat16": 2e-2, "float16": 2e-3, "float32": 1e-5, "float64": 1e-12}[dtype]
    wanted = (size,) if isinstance(size, int) else size
    np.testing.assert_allclose(have, adaptive(x.astype("float64"), wanted), tolerance, tolerance)
    if have.size:
        check_gradients(lambda a: nd.contrib.AdaptiveAvgPooling2D(a, output_size=size), [x])


@pytest.mark.parametrize(
    "attributes",
    [
        {"kernel": (3, 2), "stride": (2, 1), "pad": (1, 0)},
        {"kernel": (3, 2), "stride": (2, 2), "pool_type": "avg", "pooling_convention": "full"},
        {"kernel": (2, 2), "pool_type": "lp", "p_value": 2, "layout": "NCHW"},
        {"global_pool": True},
        {"global_pool": True, "pool_type": "avg"},
    ],
)
def test_blocked_channels(attributes):
    x = spread((2, 32, 7, 6)).astype("float32")
    lanes = nd.array(x).reshape((2, 2, 16, 7, 6)).transpose((0, 1, 3, 4, 2))
    data = nd.array(x)
    for item in (lanes, data):
        item.attach_grad()
    with autograd.record():
        have, want = nd.Pooling(lanes, blocked=True, **attributes), nd.Pooling(data, **attributes)
    autograd.backward([have, want])
    for one, other in ((have, want), (lanes.grad, data.grad)):
        plain = one.transpose((0, 1, 4, 2, 3)).reshape(other.shape)
        np.testing.assert_allclose(plain.asnumpy(), other.asnumpy(), 1e-5, 1e-6)


def test_invalid_blocked_data_raises():
    with pytest.raises(ShapeError, match="blocked channels"):
        nd.Pooling(nd.ones((1, 2, 3)), kernel=(1,), blocked=True)
    with pytest.raises(ShapeError, match="no blocked form"):
        nd.Pooling(nd.ones((1, 4, 4, 2, 8)), kernel=(1, 1), blocked=True, layout="NHWC")


def test_invalid_arguments_of_adaptive_averages_raise():
    with pytest.raises(ShapeError, match="four dimensions"):
        nd.contrib.AdaptiveAvgPooling2D(nd.ones((1, 2, 3)))
    with pytest.raises(ShapeError, match="output_size"):
        nd.contrib.AdaptiveAvgPooling2D(nd.ones((1, 2, 3, 3)), output_size=(1, 2, 3))


def test_the_first_version_includes_padding():
    x = nd.array([[[[-1.0, -2.0], [-3.0, -4.0]]]])
    window = {"kernel": (2, 2), "stride": (2, 2), "pad": (1, 1)}
    assert nd.Pooling_v1(x, **window).asnumpy().ravel().tolist() == [0, 0, 0, 0]
    mean = nd.Pooling_v1(x, pool_type="avg", **window).asnumpy().ravel().tolist()
    assert mean == [-0.25, -0.5, -0.75, -1]
