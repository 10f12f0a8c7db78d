"""Sums of products are exact for every remainder of the sizes, and for extreme values."""

import itertools

import numpy as np
import pytest
from opforge_quantization.references import REFERENCES

from opforge import nd

RANGES = [np.array([x], "float32") for x in (-1.0, 2.0, -0.5, 0.25)]
BIAS_RANGE = [np.array([x], "float32") for x in (-3.0, 1.0)]


def integers(rng, shape, dtype):
    info = np.iinfo(dtype)
    return rng.integers(info.min, info.max + 1, shape).astype(dtype)


def extremes(rng, shape, dtype):
    info = np.iinfo(dtype)
    return rng.choice([info.min, info.max], shape).astype(dtype)


def compare(operator, inputs, **attributes):
    found = getattr(nd.contrib, operator)(
        *[nd.array(x, dtype=x.dtype) for x in inputs], **attributes
    )
    wanted = REFERENCES[f"_contrib_{operator}"](*inputs, **attributes)
    np.testing.assert_array_equal(found[0].asnumpy(), wanted[0])
    for actual, expected in zip(found[1:], wanted[1:], strict=True):
        np.testing.assert_allclose(actual.asnumpy(), expected, rtol=1e-6)


@pytest.mark.parametrize("dtype", ["int8", "uint8"])
@pytest.mark.parametrize("draw", [integers, extremes])
def test_fully_connected_of_all_remainders(dtype, draw):
    rng = np.random.default_rng(0)
    sizes = itertools.product((1, 2, 3, 64, 65), (1, 2, 3, 4, 5, 63, 66), (1, 2, 7, 31, 33, 130))
    for rows, units, length in sizes:
        data, weight = draw(rng, (rows, length), dtype), draw(rng, (units, length), "int8")
        compare(
            "quantized_fully_connected",
            [data, weight, *RANGES[:2], *RANGES[2:]],
            num_hidden=units,
            no_bias=True,
        )


@pytest.mark.parametrize("length", [65793, 70001])
def test_long_sums_wrap_as_int32(length):
    data = np.full((2, length), 255, "uint8")
    weight = np.full((5, length), -128, "int8")
    inputs = [data, weight, np.full(5, -128, "int8"), *RANGES, *BIAS_RANGE]
    compare("quantized_fully_connected", inputs, num_hidden=5)


@pytest.mark.parametrize("dtype", ["int8", "uint8"])
@pytest.mark.parametrize("channels", [1, 2, 3, 5, 8])
@pytest.mark.parametrize("groups", [1, "each"])
def test_convolutions_of_all_steps_and_paddings(dtype, channels, groups):
    rng = np.random.default_rng(1)
    groups = channels if groups == "each" else 1
    for kernel, stride, dilate, pad in itertools.product(
        ((1, 1), (3, 2), (2, 3)), ((1, 1), (2, 3)), ((1, 1), (2, 2)), ((0, 0), (1, 2), (4, 0))
    ):
        filters = 2 * groups
        data = extremes(rng, (2, channels, 9, 8), dtype)
        weight = integers(rng, (filters, channels // groups, *kernel), "int8")
        bias = integers(rng, (filters,), "int8")
        compare(
            "quantized_conv",
            [data, weight, bias, *RANGES, *BIAS_RANGE],
            kernel=kernel,
            stride=stride,
            dilate=dilate,
            pad=pad,
            num_filter=filters,
            num_group=groups,
        )


def test_many_positions():
    """More than a block of positions, which threads share."""
    rng = np.random.default_rng(2)
    data, weight = integers(rng, (3, 7, 33, 29), "uint8"), integers(rng, (9, 7, 3, 3), "int8")
    compare(
        "quantized_conv",
        [data, weight, *RANGES],
        kernel=(3, 3),
        pad=(1, 1),
        num_filter=9,
        no_bias=True,
    )


@pytest.mark.parametrize(
    ("shapes", "options", "message"),
    [
        ([(2, 4), (3, 5)], {}, r"'weight' has shape \(3, 5\); expected \(3, 4\)"),
        ([(2, 4), (2, 4)], {}, r"'weight' has shape \(2, 4\); expected \(3, 4\)"),
        ([(2, 4), (12,)], {}, r"'weight' has shape \(12,\); expected \(3, 4\)"),
    ],
)
def test_misfits_of_weights(shapes, options, message):
    arrays = [nd.zeros(shape, dtype="int8") for shape in shapes]
    with pytest.raises(ValueError, match=message):
        nd.contrib.quantized_fully_connected(
            *arrays, *[nd.ones((1,))] * 4, num_hidden=3, no_bias=True, **options
        )


@pytest.mark.parametrize(
    ("shape", "options", "message"),
    [
        ((1, 3, 4, 4), {"kernel": (5, 1)}, "reaches over 5 elements and does not fit 4"),
        ((1, 3, 4), {"kernel": (1, 1)}, r"'data' has shape \(1, 3, 4\) and kernel \(1, 1\)"),
        ((1, 3, 4, 4), {"kernel": (1, 1), "num_group": 2}, "expected multiples of num_group, 2"),
    ],
)
def test_misfits_of_convolutions(shape, options, message):
    data, weight = nd.zeros(shape, dtype="int8"), nd.zeros((4, 3, *options["kernel"]), dtype="int8")
    with pytest.raises(ValueError, match=message):
        nd.contrib.quantized_conv(
            data, weight, *[nd.ones((1,))] * 4, num_filter=4, no_bias=True, **options
        )
