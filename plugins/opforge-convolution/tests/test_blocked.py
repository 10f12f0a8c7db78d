"""Blocked convolutions: each kernel against float64, on each instruction set."""

import os
import subprocess
import sys
from importlib.util import find_spec

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from opforge_convolution.operators import LIBRARY

from opforge import nd
from opforge.base.errors import AttributeValueError, DTypeError, OpforgeError, ShapeError

L = LIBRARY.LANES

#: Images, blocks of channels (or, below 0, channels), height and width, vectors of filters, kernel,
#: attributes: one row for each decision of the kernel.
SUMS = {
    "a tile of one vector": ((2, 1, 7, 9), 1, (3, 3), {"pad": (1, 1)}),
    "pairs and one vector": ((1, 2, 9, 40), 3, (3, 3), {"pad": (1, 1)}),
    "without pads": ((2, 2, 9, 8), 2, (3, 2), {}),
    "one tap": ((3, 2, 5, 13), 2, (1, 1), {}),
    "one tap, stride 2": ((2, 2, 9, 8), 2, (1, 1), {"stride": (2, 2)}),
    "gathered": ((2, 3, 9, 8), 5, (1, 1), {"stride": (2, 2)}),
    "gathered in bands": ((1, 8, 60, 41), 4, (1, 1), {"stride": (2, 3)}),
    "gathered in groups": ((2, 4, 7, 9), 8, (1, 1), {"num_group": 2, "stride": (1, 2)}),
    "gathered from an image": ((2, -3, 9, 8), 4, (1, 1), {"stride": (3, 1)}),
    "stride 2": ((1, 2, 21, 22), 1, (3, 3), {"pad": (1, 1), "stride": (2, 2)}),
    "dilated": ((1, 1, 17, 15), 2, (3, 3), {"dilate": (2, 3), "pad": (2, 3)}),
    "several bands": ((1, 8, 60, 40), 1, (3, 3), {"pad": (1, 1)}),
    "groups": ((2, 4, 9, 8), 6, (3, 3), {"num_group": 2, "pad": (1, 1)}),
    "an image of three channels": ((2, -3, 31, 33), 2, (7, 7), {"pad": (3, 3), "stride": (2, 2)}),
    "pads beyond the image": ((1, 1, 2, 3), 1, (3, 3), {"pad": (4, 9)}),
    "empty batch": ((0, 1, 5, 5), 1, (3, 3), {"pad": (1, 1)}),
}
WINOGRAD = {
    "one tile": ((1, 1, 4, 4), 1, (3, 3), {"pad": (1, 1)}),
    "borders": ((2, 2, 13, 10), 3, (3, 3), {"pad": (1, 1)}),
    "without pads": ((2, 1, 9, 11), 2, (3, 3), {}),
    "panels": ((3, 3, 20, 37), 2, (3, 3), {"pad": (2, 0)}),
    "groups": ((2, 4, 9, 8), 4, (3, 3), {"num_group": 2, "pad": (1, 1)}),
    "empty batch": ((0, 1, 5, 5), 1, (3, 3), {"pad": (1, 1)}),
}
#: Images, blocks of channels, height and width, filters, kernel, attributes.
TO_PLAIN = {
    "fewer than a vector": ((2, 1, 7, 29), 5, (3, 3), {"pad": (1, 1)}),
    "one more than a vector": ((2, 2, 9, 13), L + 1, (1, 1), {}),
    "one less than a pair": ((1, 1, 21, 22), 2 * L - 1, (3, 3), {"pad": (1, 1), "stride": (2, 2)}),
    "pairs and one filter": ((1, 2, 13, 13), 4 * L + 1, (1, 1), {}),
    "whole vectors": ((1, 1, 9, 8), 3 * L, (3, 2), {}),
    "several bands": ((1, 8, 60, 40), 3, (3, 3), {"pad": (1, 1)}),
    "empty batch": ((0, 1, 5, 5), 3, (3, 3), {"pad": (1, 1)}),
}
DEPTHWISE = {
    "tiles of eight": ((2, 2, 7, 29), (3, 3), {"pad": (1, 1)}),
    "tiles of six": ((1, 1, 14, 14), (3, 3), {"pad": (1, 1)}),
    "tiles of five": ((1, 1, 7, 7), (3, 3), {"pad": (1, 1)}),
    "tiles of four": ((1, 1, 7, 6), (3, 3), {"pad": (1, 1)}),
    "borders alone": ((1, 1, 2, 3), (3, 3), {"pad": (1, 1)}),
    "stride 2": ((1, 3, 20, 31), (3, 3), {"pad": (1, 1), "stride": (2, 2)}),
    "five taps": ((1, 2, 14, 13), (5, 5), {"pad": (2, 2)}),
    "four taps and strides": ((1, 1, 8, 64), (7, 4), {"pad": (3, 1), "stride": (3, 2)}),
    "dilated": ((2, 1, 11, 12), (3, 2), {"pad": (2, 1), "dilate": (2, 3)}),
    "one tap": ((1, 2, 5, 40), (1, 1), {}),
    "pads beyond the image": ((1, 1, 2, 3), (3, 3), {"pad": (4, 9)}),
    "empty batch": ((0, 1, 5, 5), (3, 3), {"pad": (1, 1)}),
}
#: The same as for plain results, with halves of vectors of filters.
TO_HALVES = {
    "half a vector": ((2, 1, 7, 29), 1, (3, 3), {"pad": (1, 1)}),
    "a vector and a half": ((2, 2, 9, 13), 3, (1, 1), {}),
    "a pair and a half": ((1, 1, 21, 22), 5, (3, 3), {"pad": (1, 1), "stride": (2, 2)}),
    "whole vectors": ((1, 1, 9, 8), 6, (3, 2), {}),
    "an image of three channels": ((2, -3, 31, 33), 3, (3, 3), {"pad": (1, 1)}),
    "several bands": ((1, 8, 60, 40), 1, (3, 3), {"pad": (1, 1)}),
    "empty batch": ((0, 1, 5, 5), 3, (3, 3), {"pad": (1, 1)}),
}
#: The same rows with as many groups and filters as channels.
DEPTHWISE_ROWS = {
    name: (shape, shape[1], kernel, {"num_group": shape[1] * L, **attributes})
    for name, (shape, kernel, attributes) in DEPTHWISE.items()
}


def numbers(shape, filters, kernel, attributes):
    """Return data, weight and bias."""
    images, blocks, *image = shape
    channels = blocks * L if blocks > 0 else -blocks
    weight = (filters, channels // attributes.get("num_group", 1), *kernel)
    rng = np.random.default_rng(0)
    return [rng.standard_normal(s) for s in ((images, channels, *image), weight, (filters,))]


def blocked_convolution(data, weight, bias, algorithm, dtype="float32", lanes=None, **attributes):
    """Compute a convolution on blocked arrays; return the result as a plain array."""
    lanes = lanes or (1 if algorithm.startswith("sums") and weight.shape[1] % L else L)
    x, w, b = (nd.array(a, dtype=dtype) for a in (data, weight, bias))
    block, joined = nd._internal._block, nd._internal._unblock
    if algorithm == "winograd":
        w = nd._winograd_weight(w)
    elif algorithm == "depthwise":
        w = block(w, axis=0, lanes=L)
    else:
        w = nd._internal._padded_filters(w)
        w = block(block(w, axis=1, lanes=lanes), axis=0, lanes=L)
    if algorithm.startswith("pairs"):
        w = block(w, axis=4, lanes=2)
    x = block(x, axis=1, lanes=lanes)
    if algorithm.endswith("to_plain"):
        return nd.Convolution(x, w, b, blocked=algorithm, **attributes).asnumpy()
    return joined(nd.Convolution(x, w, b, blocked=algorithm, **attributes), axis=1).asnumpy()


def error(algorithm, shape, vectors, kernel, attributes):
    """Return the largest error, relative to the sums of the magnitudes of the terms."""
    filters = vectors * {"sums_to_plain": 1, "sums_to_halves": L // 2}.get(algorithm, L)
    inputs = numbers(shape, filters, kernel, attributes)
    attributes = {"kernel": kernel, "num_filter": filters, **attributes}
    exact = [nd.array(x, dtype="float64") for x in inputs]
    want = nd.Convolution(*exact, **attributes).asnumpy()
    sizes = nd.Convolution(*map(nd.abs, exact), **attributes).asnumpy()
    got = blocked_convolution(*inputs, algorithm, **attributes)
    assert got.shape == want.shape
    if algorithm == "winograd":  # four by four results share their errors
        sizes = np.full_like(sizes, sizes.max(initial=1))
    return float((abs(got - want) / sizes).max(initial=0))


@pytest.mark.parametrize("name", SUMS)
def test_sums_agree_with_float64(name):
    assert error("sums", *SUMS[name]) < 1e-6


@pytest.mark.parametrize("name", TO_PLAIN)
def test_sums_to_plain_results_agree_with_float64(name):
    assert error("sums_to_plain", *TO_PLAIN[name]) < 1e-6


@pytest.mark.parametrize("name", TO_HALVES)
def test_sums_to_halves_of_vectors_agree_with_float64(name):
    assert error("sums_to_halves", *TO_HALVES[name]) < 1e-6


@pytest.mark.parametrize("name", ["an image of three channels"])
def test_channels_of_plain_data_are_blocks(name):
    shape, vectors, kernel, attributes = SUMS[name]
    data, weight, bias = numbers(shape, vectors * L, kernel, attributes)
    attributes = {"kernel": kernel, "num_filter": vectors * L, **attributes}
    want = blocked_convolution(data, weight, bias, "sums", **attributes)
    x, w, b = (nd.array(a, dtype="float32") for a in (data, weight, bias))
    block = nd._internal._block
    w = block(block(w, axis=1, lanes=1), axis=0, lanes=L)
    got = nd._internal._unblock(nd.Convolution(x, w, b, blocked="sums", **attributes), axis=1)
    np.testing.assert_array_equal(got.asnumpy(), want)


@pytest.mark.parametrize("name", WINOGRAD)
def test_winograd_agrees_with_float64(name):
    assert error("winograd", *WINOGRAD[name]) < 2e-6


@pytest.mark.parametrize("name", DEPTHWISE_ROWS)
def test_depthwise_agrees_with_float64(name):
    assert error("depthwise", *DEPTHWISE_ROWS[name]) < 1e-6


@pytest.mark.parametrize("value", [np.inf, np.nan, 1e38])
def test_an_outlier_stays_in_its_channel(value):
    shape, vectors, *rest = DEPTHWISE_ROWS["tiles of five"]
    data, weight, bias = numbers(shape, vectors * L, *rest)
    attributes = {"kernel": (3, 3), "num_filter": L, "num_group": L, "pad": (1, 1)}
    usual = blocked_convolution(data, weight, bias, "depthwise", **attributes)
    data[0, 3, 0, 6] = value
    got = blocked_convolution(data, weight, bias, "depthwise", **attributes)
    changed = np.zeros_like(got, dtype=bool)
    changed[0, 3, :2, 5:] = True
    np.testing.assert_array_equal(got[~changed], usual[~changed])
    assert not np.isclose(got[changed], usual[changed]).any()


@pytest.mark.parametrize("value", [np.inf, np.nan, 1e4, 1e6, 1e20])
@pytest.mark.parametrize("name", ["borders", "panels", "groups"])
def test_an_outlier_affects_only_dependent_results(name, value):
    shape, vectors, kernel, attributes = WINOGRAD[name]
    data, weight, bias = numbers(shape, vectors * L, kernel, attributes)
    attributes = {"kernel": kernel, "num_filter": vectors * L, **attributes}
    usual = blocked_convolution(data, weight, bias, "winograd", **attributes)
    for y, x in ((0, 0), (3, 5), (-1, -1)):
        outlier = data.copy()
        outlier[0, 3, y, x] = value
        exact = [nd.array(a, dtype="float64") for a in (outlier, weight, bias)]
        want = nd.Convolution(*exact, **attributes).asnumpy()
        got = blocked_convolution(outlier, weight, bias, "winograd", **attributes)
        np.testing.assert_array_equal(np.isfinite(got), np.isfinite(want))
        # Results that do not depend on the outlier equal those of the data without it.
        before = nd.Convolution(nd.array(data, dtype="float64"), *exact[1:], **attributes).asnumpy()
        unseen = want == before
        assert abs(got - usual)[unseen].max() < 1e-5 * usual.std()


@pytest.mark.parametrize("filters", [1, L - 1, L, L + 1])
def test_filters_are_padded_to_whole_vectors(filters):
    weight = nd.random.normal(shape=(filters, 3, 2, 2))
    padded = nd._internal._padded_filters(weight).asnumpy()
    assert padded.shape == (-(-filters // L) * L, 3, 2, 2)
    np.testing.assert_array_equal(padded[:filters], weight.asnumpy())
    assert not padded[filters:].any()


small = st.integers(1, 4)


@settings(max_examples=60, deadline=None)
@given(
    images=st.integers(0, 3),
    blocks=st.sampled_from([-3, -1, 1, 2]),
    vectors=small,
    groups=st.integers(1, 2),
    image=st.tuples(st.integers(1, 20), st.integers(1, 40)),
    kernel=st.tuples(small, small),
    stride=st.tuples(small, small),
    dilate=st.tuples(small, small),
    pad=st.tuples(small, small),
)
def test_any_sizes_agree_with_float64(
    images, blocks, vectors, groups, image, kernel, stride, dilate, pad
):
    reach = [(k - 1) * d + 1 for k, d in zip(kernel, dilate, strict=True)]
    pad = tuple(max(p, (r - n + 1) // 2) for p, r, n in zip(pad, reach, image, strict=True))
    attributes = {"stride": stride, "dilate": dilate, "pad": pad, "num_group": groups}
    shape = (images, blocks * groups, *image)
    assert error("sums", shape, vectors * groups, kernel, attributes) < 1e-6


@settings(max_examples=60, deadline=None)
@given(
    images=st.integers(0, 3),
    blocks=st.sampled_from([-3, 1, 2]),
    vectors=st.integers(4, 9),
    groups=st.integers(1, 2),
    image=st.tuples(st.integers(1, 40), st.integers(1, 40)),
    stride=st.tuples(small, small),
)
def test_strided_filters_of_one_tap_agree_with_float64(
    images, blocks, vectors, groups, image, stride
):
    attributes = {"stride": stride, "num_group": groups}
    shape = (images, blocks * groups, *image)
    assert error("sums", shape, vectors * groups, (1, 1), attributes) < 1e-6


def test_elements_between_strides_have_no_effect():
    data, weight, bias = numbers((1, 2, 8, 8), 4 * L, (1, 1), {})
    data[:, :, 1::2], data[..., 1::2] = np.nan, np.inf
    attributes = {"kernel": (1, 1), "num_filter": 4 * L, "stride": (2, 2)}
    assert np.isfinite(blocked_convolution(data, weight, bias, "sums", **attributes)).all()


@settings(max_examples=60, deadline=None)
@given(
    images=st.integers(0, 3),
    blocks=st.sampled_from([-3, 1, 2]),
    filters=st.integers(1, 5 * L),
    image=st.tuples(st.integers(3, 20), st.integers(3, 40)),
    kernel=st.tuples(st.integers(1, 3), st.integers(1, 3)),
    stride=st.tuples(small, small),
    pad=st.tuples(st.integers(0, 2), st.integers(0, 2)),
)
def test_plain_results_of_any_sizes_agree_with_float64(
    images, blocks, filters, image, kernel, stride, pad
):
    attributes = {"stride": stride, "pad": pad}
    assert error("sums_to_plain", (images, blocks, *image), filters, kernel, attributes) < 1e-6


@settings(max_examples=60, deadline=None)
@given(
    images=st.integers(0, 3),
    blocks=st.integers(1, 2),
    image=st.tuples(st.integers(1, 20), st.integers(1, 40)),
    kernel=st.tuples(st.integers(1, 6), st.integers(1, 6)),
    stride=st.tuples(small, small),
    dilate=st.tuples(small, small),
    pad=st.tuples(small, small),
)
def test_depthwise_of_any_sizes_agrees_with_float64(
    images, blocks, image, kernel, stride, dilate, pad
):
    reach = [(k - 1) * d + 1 for k, d in zip(kernel, dilate, strict=True)]
    pad = tuple(max(p, (r - n + 1) // 2) for p, r, n in zip(pad, reach, image, strict=True))
    attributes = {"stride": stride, "dilate": dilate, "pad": pad, "num_group": blocks * L}
    assert error("depthwise", (images, blocks, *image), blocks, kernel, attributes) < 1e-6


@settings(max_examples=30, deadline=None)
@given(
    images=st.integers(1, 3),
    blocks=st.integers(1, 2),
    vectors=st.integers(1, 3),
    image=st.tuples(st.integers(3, 20), st.integers(3, 40)),
    pad=st.tuples(st.integers(0, 4), st.integers(0, 4)),
)
def test_winograd_of_any_sizes_agrees_with_float64(images, blocks, vectors, image, pad):
    assert error("winograd", (images, blocks, *image), vectors, (3, 3), {"pad": pad}) < 2e-6


brain = pytest.mark.skipif(
    not LIBRARY.BFLOAT16_PRODUCTS, reason="this processor does not multiply bfloat16"
)

#: Algorithm, lanes of blocks of data and row of each kernel of bfloat16.
BRAIN = {
    **{f"pairs: {name}": ("pairs", L, row) for name, row in SUMS.items() if row[0][1] > 0},
    **{f"plain: {name}": ("pairs_to_plain", L, row) for name, row in TO_PLAIN.items()},
    **{
        f"halves: {name}": ("pairs_to_halves", L, row)
        for name, row in TO_HALVES.items()
        if row[0][1] > 0
    },
    **{f"half blocks: {name}": ("pairs", L // 2, SUMS[name]) for name in ("one tap", "dilated")},
    "channels of images": ("sums", 1, SUMS["an image of three channels"]),
    **{f"depthwise: {name}": ("depthwise", L, row) for name, row in DEPTHWISE_ROWS.items()},
}


def results_of_integers(algorithm, lanes, row):
    """Return results of bfloat16, and the right ones, which are integers of at most 8 bits."""
    shape, vectors, kernel, attributes = row
    filters = vectors * {"pairs_to_plain": 1, "pairs_to_halves": L // 2}.get(algorithm, L)
    inputs = [np.clip(np.rint(x), -1, 1) for x in numbers(shape, filters, kernel, attributes)]
    attributes = {"kernel": kernel, "num_filter": filters, **attributes}
    exact = nd.Convolution(*[nd.array(x, dtype="float64") for x in inputs], **attributes)
    found = blocked_convolution(*inputs, algorithm, "bfloat16", lanes, **attributes)
    return found.astype("float64"), exact.asnumpy()


@brain
@pytest.mark.parametrize("name", BRAIN)
def test_bfloat16_is_exact_for_integers(name):
    found, exact = results_of_integers(*BRAIN[name])
    assert 0 <= np.abs(exact).max(initial=0) <= 256
    np.testing.assert_array_equal(found, exact)


@brain
@settings(max_examples=60, deadline=None)
@given(
    algorithm=st.sampled_from(["pairs", "pairs_to_plain", "pairs_to_halves"]),
    lanes=st.sampled_from([L, L // 2]),
    images=st.integers(0, 3),
    blocks=st.integers(1, 2),
    filters=st.integers(1, 4 * L),
    image=st.tuples(st.integers(3, 20), st.integers(3, 40)),
    kernel=st.tuples(st.integers(1, 3), st.integers(1, 3)),
    stride=st.tuples(small, small),
    pad=st.tuples(st.integers(0, 2), st.integers(0, 2)),
)
def test_bfloat16_of_any_sizes_is_exact(
    algorithm, lanes, images, blocks, filters, image, kernel, stride, pad
):
    vectors = filters if algorithm == "pairs_to_plain" else 1 + filters % 5
    row = (images, blocks, *image), vectors, kernel, {"stride": stride, "pad": pad}
    np.testing.assert_array_equal(*results_of_integers(algorithm, lanes, row))


@brain
@pytest.mark.parametrize("value", [np.inf, np.nan])
@pytest.mark.parametrize("algorithm", ["pairs", "pairs_to_plain", "pairs_to_halves", "depthwise"])
def test_an_outlier_of_bfloat16_affects_only_dependent_results(algorithm, value):
    is_depthwise = algorithm == "depthwise"
    attributes = {"kernel": (3, 3), "num_filter": L, "pad": (1, 1)}
    attributes |= {"num_group": L} if is_depthwise else {}
    arrays = numbers((1, 1, 7, 9), L, (3, 3), {"num_group": L if is_depthwise else 1})
    usual = blocked_convolution(*arrays, algorithm, "bfloat16", **attributes).astype("float32")
    arrays[0][0, 3, 0, 6] = value
    got = blocked_convolution(*arrays, algorithm, "bfloat16", **attributes).astype("float32")
    changed = np.zeros_like(got, dtype=bool)
    changed[0, 3 if is_depthwise else slice(None), :2, 5:8] = True
    np.testing.assert_array_equal(got[~changed], usual[~changed])
    assert not np.isfinite(got[changed]).any()


def wrong():
    """Return the rows that exceed the tolerance on this process's instruction set."""
    rows = {
        "sums": SUMS,
        "sums_to_plain": TO_PLAIN,
        "sums_to_halves": TO_HALVES,
        "winograd": WINOGRAD,
        "depthwise": DEPTHWISE_ROWS,
    }
    return [
        (algorithm, name)
        for algorithm in rows
        for name, row in rows[algorithm].items()
        if error(algorithm, *row) > 2e-6
    ]


@pytest.mark.parametrize("isa", ["baseline", "x86_64_v3"])
def test_on_the_other_instruction_sets(isa):
    if find_spec(f"opforge_convolution._native_{isa}") is None:
        pytest.skip(f"the kernels are not built for {isa}")
    done = subprocess.run(
        [sys.executable, __file__],
        env={**os.environ, "OPFORGE_ISA": isa},
        capture_output=True,
        text=True,
    )
    if "is not supported by this processor" in done.stderr:
        pytest.skip(f"this processor does not run {isa}")
    assert (done.stdout, done.stderr) == ("[]\n", "")


DATA, WEIGHT, BIAS = (1, 1, 5, 5, L), (1, 1, 3, 3, L, L), (L,)
PAIRS = {"blocked": "pairs"}


@pytest.mark.parametrize(
    ("shapes", "changed", "dtype", "wanted", "text"),
    [
        ([DATA, WEIGHT, BIAS], {"num_filter": L + 1}, "float32", ShapeError, "expected a multiple"),
        ([DATA, WEIGHT[:4], BIAS], {}, "float32", ShapeError, "blocked weight"),
        ([DATA[2:], WEIGHT, BIAS], {}, "float32", ShapeError, "blocked data"),
        ([DATA[1:], WEIGHT, BIAS], {}, "float32", ShapeError, "'weight'"),
        ([DATA, (1, 1, 3, 3, 1, L), BIAS], {}, "float32", ShapeError, "'weight'"),
        ([DATA, WEIGHT, BIAS], {}, "float64", DTypeError, "expected float32"),
        (
            [DATA, (*WEIGHT[:4], L // 2, L, 2), BIAS],
            PAIRS,
            "float32",
            DTypeError,
            "expected bfloat16",
        ),
        (
            [(1, 3, 5, 5), WEIGHT, BIAS],
            PAIRS,
            "bfloat16",
            OpforgeError,
            "an even number|multiplies",
        ),
        (
            [DATA, WEIGHT, BIAS],
            {"num_group": 2, "num_filter": 2 * L},
            "float32",
            ShapeError,
            "num_group",
        ),
        ([DATA, WEIGHT, BIAS], {"layout": "NHWC"}, "float32", AttributeValueError, "channels last"),
        (
            [DATA, WEIGHT, BIAS],
            {"kernel": (3,)},
            "float32",
            AttributeValueError,
            "1 spatial dimensions",
        ),
        ([DATA, WEIGHT, BIAS], {"blocked": "winograd"}, "float32", ShapeError, "blocked weight"),
        (
            [(1, L, 5, 5, 1), (1, 36, L, L), BIAS],
            {"blocked": "winograd"},
            *("float32", ShapeError, "lanes"),
        ),
        (
            [DATA, (1, 36, L, L), BIAS],
            {"blocked": "winograd", "stride": (2, 2)},
            *("float32", AttributeValueError, "stride and dilate 1"),
        ),
        (
            [(1, 2, 5, 5, L), WEIGHT, BIAS],
            {"blocked": "sums_to_plain", "num_group": 2, "num_filter": 6},
            *("float32", ShapeError, "expected 1"),
        ),
        (
            [DATA, WEIGHT, BIAS],
            {"blocked": "sums_to_plain", "num_filter": L + 1},
            *("float32", ShapeError, "'weight'"),
        ),
        (
            [(1, 2, 5, 5, L), WEIGHT, BIAS],
            {"blocked": "sums_to_halves", "num_group": 2, "num_filter": 2 * L},
            *("float32", ShapeError, "expected 1"),
        ),
        (
            [DATA, WEIGHT, BIAS],
            {"blocked": "sums_to_halves", "num_filter": L + 1},
            *("float32", ShapeError, "expected a multiple"),
        ),
        (
            [DATA, (1, 1, 3, 3, L), BIAS],
            {"blocked": "depthwise"},
            *("float32", ShapeError, "num_group is 1 "),
        ),
        (
            [DATA, (1, 1, 3, 3, L), BIAS],
            {"blocked": "depthwise", "num_group": L, "num_filter": 2 * L},
            *("float32", ShapeError, "num_filter"),
        ),
        (
            [(1, 2, 5, 5, L), (1, 1, 3, 3, L), BIAS],
            {"blocked": "depthwise", "num_group": L},
            *("float32", ShapeError, "2 blocks of"),
        ),
        (
            [(1, L, 5, 5, 1), (1, 1, 3, 3, L), BIAS],
            {"blocked": "depthwise", "num_group": L},
            *("float32", ShapeError, "1 lanes"),
        ),
        (
            [DATA, (1, 3, 3, L), BIAS],
            {"blocked": "depthwise", "num_group": L},
            *("float32", ShapeError, "blocked weight"),
        ),
    ],
)
def test_invalid_arguments_raise(shapes, changed, dtype, wanted, text):
    attributes = {"kernel": (3, 3), "num_filter": L, "blocked": "sums", **changed}
    with pytest.raises(wanted, match=text):
        nd.Convolution(*[nd.ones(shape, dtype=dtype) for shape in shapes], **attributes)


@pytest.mark.parametrize("shape", [(L + 1, 4, 3, 3), (L, 4, 3, 5), (L, 4, 3)])
def test_invalid_weights_raise(shape):
    with pytest.raises(OpforgeError, match=r"expected"):
        nd._winograd_weight(nd.ones(shape))


if __name__ == "__main__":
    print(wrong())
