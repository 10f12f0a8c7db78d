"""The fast kernels of float32 and bfloat16 against the general path, which computes float64."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from opforge import autograd, nd

#: Shape of the data, filters, kernel, attributes: one row for each decision of a kernel.
CASES = {
    "columns across images": ((5, 3, 7, 7), 8, (3, 3), {"pad": (1, 1)}),
    "columns across rows": ((2, 4, 5, 3), 5, (2, 2), {}),
    "one position": ((3, 4, 3, 3), 5, (3, 3), {}),
    "one tap": ((2, 20, 9, 9), 30, (1, 1), {}),
    "several blocks of channels": ((1, 150, 6, 6), 20, (3, 3), {"pad": (1, 1)}),
    "few positions": ((1, 64, 6, 7), 37, (3, 3), {"pad": (1, 1)}),
    "few positions of groups": ((1, 128, 9, 9), 70, (3, 3), {"num_group": 2, "stride": (2, 2)}),
    "few channels": ((2, 3, 21, 22), 16, (5, 5), {"pad": (1, 1)}),
    "few channels, in bands": ((1, 2, 100, 9), 20, (3, 3), {"stride": (2, 1), "dilate": (2, 1)}),
    "few channels of groups": ((2, 6, 11, 12), 9, (3, 3), {"num_group": 3, "stride": (2, 2)}),
    "small images relative to the filter": ((3, 7, 9, 8), 18, (5, 4), {}),
    "small images of groups, dilated": (
        (2, 12, 14, 15),
        40,
        (5, 5),
        {"num_group": 2, "dilate": (2, 2)},
    ),
    "small images, stride 2": ((2, 5, 18, 18), 16, (9, 9), {"stride": (2, 2)}),
    "small images, frames of some channels": ((1, 40, 40, 24), 16, (25, 9), {}),
    "stride 2": ((2, 6, 21, 22), 16, (7, 7), {"pad": (3, 3), "stride": (2, 2)}),
    "stride 3": ((2, 5, 17, 14), 6, (3, 2), {"stride": (3, 3)}),
    "positions that no tap reads": ((2, 5, 9, 10), 4, (1, 1), {"stride": (2, 2)}),
    "dilated": ((2, 5, 17, 15), 6, (3, 3), {"dilate": (2, 3), "pad": (2, 3)}),
    "dilated, stride 2": (
        (2, 5, 19, 18),
        6,
        (3, 3),
        {"dilate": (4, 3), "stride": (2, 2), "pad": (4, 3)},
    ),
    "pad beyond the filter": ((2, 5, 5, 6), 4, (2, 2), {"pad": (4, 3)}),
    "grouped": ((2, 15, 11, 10), 18, (3, 3), {"num_group": 3, "pad": (1, 1)}),
    "depthwise": ((2, 7, 12, 37), 7, (3, 3), {"num_group": 7, "pad": (1, 1)}),
    "depthwise, stride 2": ((2, 7, 13, 35), 7, (3, 3), {"num_group": 7, "stride": (2, 2)}),
    "depthwise of 5": ((2, 7, 13, 20), 7, (5, 5), {"num_group": 7, "pad": (2, 2)}),
    "depthwise, dilated": (
        (2, 5, 9, 9),
        5,
        (4, 2),
        {"num_group": 5, "pad": (3, 4), "dilate": (2, 1), "stride": (3, 1)},
    ),
    "one tap of a volume": ((2, 5, 3, 4, 5), 6, (1, 1, 1), {}),
    "many channels": ((2, 24, 9, 10), 17, (3, 3), {"pad": (1, 1)}),
    "many channels, last panel not full": ((2, 45, 7, 6), 5, (2, 3), {"pad": (1, 0)}),
    "many channels, several images in a block": ((11, 32, 5, 6), 9, (2, 2), {"pad": (1, 1)}),
    "many channels, bands": ((1, 24, 40, 21), 7, (3, 3), {"stride": (2, 1), "dilate": (1, 2)}),
    "many channels, segments": ((2, 24, 601), 7, (5,), {"pad": (2,)}),
    "many channels, segments of strides": ((1, 24, 900), 7, (4,), {"stride": (3,), "dilate": (2,)}),
    "many channels of groups": ((2, 64, 6, 5), 14, (3, 3), {"num_group": 2, "stride": (2, 2)}),
    "many channels, three positions": ((1, 32, 1, 3), 6, (1, 1), {}),
    "many channels, pad beyond the filter": ((3, 24, 2, 3), 6, (2, 2), {"pad": (4, 5)}),
    "many channels, wide input of a block": ((1, 24, 3, 90), 4, (1, 2), {"dilate": (1, 80)}),
    "many channels, input of a block too large": (
        (1, 24, 3, 9001),
        4,
        (1, 2),
        {"dilate": (1, 9000)},
    ),
    "many columns": ((9, 3, 40, 40), 5, (3, 3), {"pad": (1, 1)}),
}


def make_inputs(shape, filters, kernel, attributes):
    """Return data, weight, bias and the head gradient."""
    rng = np.random.default_rng(0)
    weight = (filters, shape[1] // attributes.get("num_group", 1), *kernel)
    return [rng.standard_normal(s).astype("float32") for s in (shape, weight, (filters,))]


def results(inputs, dtype, kernel, attributes, spread=lambda head: head):
    """Return the result of a convolution and the gradients of its inputs."""
    arrays = [nd.array(x, dtype=dtype) for x in inputs]
    for x in arrays:
        x.attach_grad()
    with autograd.record():
        out = nd.Convolution(*arrays, kernel=kernel, num_filter=len(inputs[2]), **attributes)
    head = np.random.default_rng(1).standard_normal(out.shape).astype("float32")
    out.backward(nd.array(spread(head), dtype=dtype))
    return [x.asnumpy().astype("float64") for x in (out, *(x.grad for x in arrays))]


#: Largest relative error of rounding a sum of float32 to a dtype.
ROUNDING = {"float32": 0, "bfloat16": 2**-8}


def check(shape, filters, kernel, attributes, dtype="float32", tolerance=1e-6):
    """Compare with float64; errors of sums are relative to the magnitudes of their terms."""

    def rounded(array):
        return nd.array(array, dtype=dtype).astype("float32").asnumpy()

    inputs = [rounded(x) for x in make_inputs(shape, filters, kernel, attributes)]
    exact = results(inputs, "float64", kernel, attributes, rounded)
    sizes = results(
        [abs(x) for x in inputs], "float64", kernel, attributes, lambda x: abs(rounded(x))
    )
    got = results(inputs, dtype, kernel, attributes, rounded)
    for name, one, other, size in zip(
        ["out", "data", "weight", "bias"], got, exact, sizes, strict=True
    ):
        assert one.shape == other.shape
        allowed = tolerance * size + ROUNDING[dtype] * abs(other)
        assert (abs(one - other) <= allowed).all(), name


@pytest.mark.parametrize("dtype", ROUNDING)
@pytest.mark.parametrize("name", CASES)
def test_kernels_agree_with_float64(name, dtype):
    check(*CASES[name], dtype)


small = st.integers(1, 4)


@settings(max_examples=60, deadline=None)
@given(
    images=st.integers(0, 3),
    channels=st.integers(1, 8),
    filters=small,
    groups=st.integers(1, 3),
    image=st.tuples(st.integers(1, 20), st.integers(1, 40)),
    kernel=st.tuples(small, small),
    stride=st.tuples(small, small),
    dilate=st.tuples(small, small),
    pad=st.tuples(small, small),
    dtype=st.sampled_from(list(ROUNDING)),
)
def test_any_sizes_agree_with_float64(
    images, channels, filters, groups, image, kernel, stride, dilate, pad, dtype
):
    reach = [(k - 1) * d + 1 for k, d in zip(kernel, dilate, strict=True)]
    pad = tuple(max(p, (r - n + 1) // 2) for p, r, n in zip(pad, reach, image, strict=True))
    attributes = {"stride": stride, "dilate": dilate, "pad": pad, "num_group": groups}
    check((images, channels * groups, *image), filters * groups, kernel, attributes, dtype)


@settings(max_examples=60, deadline=None)
@given(
    images=st.integers(1, 4),
    channels=st.integers(3, 70),
    filters=st.integers(3, 30),
    groups=st.integers(1, 2),
    image=st.tuples(st.integers(3, 17), st.integers(3, 40)),
    kernel=st.sampled_from([(1, 1), (3, 3), (3, 2), (1, 5)]),
    stride=st.sampled_from([(1, 1), (2, 2), (1, 2), (3, 1)]),
    dilate=st.sampled_from([(1, 1), (2, 1)]),
)
def test_products_of_pairs_agree_with_float64(
    images, channels, filters, groups, image, kernel, stride, dilate
):
    """Sizes for which bfloat16 has kernels: all remainders of vectors, panels, tiles and pairs."""
    attributes = {"stride": stride, "dilate": dilate, "pad": (2, 2), "num_group": groups}
    shape = (images, channels * groups, *image)
    check(shape, filters * groups, kernel, attributes, "bfloat16")


@pytest.mark.parametrize("value", [np.inf, np.nan])
@pytest.mark.parametrize("kernel", [1, 3])
def test_an_element_reaches_only_its_results(kernel, value):
    data, weight, bias = make_inputs((2, 19, 9, 9), 10, (kernel, kernel), {})
    options = {"kernel": (kernel, kernel), "num_filter": 10}
    plain = nd.Convolution(
        *(nd.array(x, dtype="bfloat16") for x in (data, weight, bias)), **options
    )
    data[0, 18, 4, 4] = value
    found = nd.Convolution(
        *(nd.array(x, dtype="bfloat16") for x in (data, weight, bias)), **options
    )
    reached = ~np.isfinite(found.astype("float32").asnumpy())
    first = 5 - kernel
    assert reached[0, :, first:5, first:5].all() and reached.sum() == 10 * kernel**2
    np.testing.assert_array_equal(
        found.asnumpy()[~reached].view("uint16"), plain.asnumpy()[~reached].view("uint16")
    )


@pytest.mark.parametrize("dtype", ROUNDING)
@pytest.mark.parametrize("stride", [1, 2])
@pytest.mark.parametrize("kernel", [1, 3])
def test_results_do_not_depend_on_the_other_images(kernel, stride, dtype):
    inputs = make_inputs((5, 20, 13, 13), 9, (kernel, kernel), {})
    data, weight, bias = (nd.array(x, dtype=dtype) for x in inputs)
    options = {"kernel": (kernel, kernel), "stride": (stride, stride), "num_filter": 9}
    together = nd.Convolution(data, weight, bias, **options).asnumpy()
    for image in range(5):
        alone = nd.Convolution(data[image : image + 1], weight, bias, **options).asnumpy()
        np.testing.assert_array_equal(alone[0], together[image])
