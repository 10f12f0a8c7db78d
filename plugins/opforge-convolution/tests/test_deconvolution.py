"""Deconvolution against NumPy over a grid of attributes, and its relation to Convolution."""

from itertools import product

import numpy as np
import pytest
from opforge_convolution.references import deconvolution

from opforge import autograd, nd, sym
from opforge.testing import check_gradients

TOLERANCES = {"float16": 2e-2, "float32": 2e-5, "float64": 1e-11}
LAYOUTS = {1: ("NCW", "NWC"), 2: ("NCHW", "NHWC"), 3: ("NCDHW", "NDHWC")}
SIZES = {1: ((6,), (3,)), 2: ((4, 5), (3, 2)), 3: ((3, 2, 3), (2, 3, 1))}


def arrays(lengths, kernel, filters, groups=1, n=2, channels=4, layout="NCHW"):
    """Return data, weight and bias in float64."""
    rng = np.random.default_rng(0)
    data = rng.standard_normal((n, channels, *lengths))
    weight = rng.standard_normal((channels, filters // groups, *kernel))
    if layout.endswith("C"):
        data, weight = (np.moveaxis(x, 1, -1) for x in (data, weight))
    return data, weight, rng.standard_normal(filters)


@pytest.mark.parametrize("dims", [1, 2, 3])
@pytest.mark.parametrize("dtype", sorted(TOLERANCES))
def test_grid(dims, dtype):
    lengths, kernel = SIZES[dims]
    grid = product((1, 2, 4), (1, 2), (1, 2), (0, 1), LAYOUTS[dims])
    for groups, stride, dilate, pad, layout in grid:
        given = arrays(lengths, kernel, 8, groups, layout=layout)
        attributes = {
            "kernel": kernel,
            "num_filter": 8,
            "num_group": groups,
            "stride": (stride,) * dims,
            "dilate": (dilate,) * dims,
            "pad": (pad if min(kernel) > 1 else 0,) * dims,
            "adj": (stride - 1,) * dims,
            "layout": layout,
            "no_bias": False,
        }
        out = nd.Deconvolution(*[nd.array(x, dtype=dtype) for x in given], **attributes)
        wanted = deconvolution(*given, **attributes)
        assert out.dtype == np.dtype(dtype)
        tolerance = TOLERANCES[dtype] * np.abs(wanted).max()
        np.testing.assert_allclose(
            out.asnumpy(), wanted, atol=tolerance, rtol=0, err_msg=f"{attributes}"
        )


@pytest.mark.parametrize(
    ("lengths", "kernel", "attributes"),
    [
        ((4,), (3,), {"stride": (2,), "pad": (1,), "adj": (1,), "num_group": 2}),
        ((3, 4), (3, 2), {"dilate": (1, 2), "pad": (1, 0)}),
        ((3, 2), (3, 2), {"layout": "NHWC", "num_group": 2, "stride": (1, 2)}),
        ((3, 2), (3, 3), {"target_shape": (6, 4), "stride": (2, 2)}),
        ((2, 3, 2), (2, 2, 2), {"pad": (0, 1, 0)}),
    ],
)
def test_gradients(lengths, kernel, attributes):
    attributes = {"kernel": kernel, "num_filter": 4, "no_bias": False, **attributes}
    layout = attributes.get("layout", "NCHW")
    given = arrays(lengths, kernel, 4, attributes.get("num_group", 1), layout=layout)
    check_gradients(lambda *x: nd.Deconvolution(*x, **attributes), given)


def test_it_is_the_gradient_of_a_convolution():
    data, weight, _ = arrays((4, 5), (3, 2), 6)
    attributes = {"kernel": (3, 2), "stride": (2, 1), "pad": (1, 0), "dilate": (1, 2)}
    data, weight = nd.array(data, dtype="float64"), nd.array(weight, dtype="float64")
    out = nd.Deconvolution(data, weight, num_filter=6, **attributes)
    image = nd.zeros(out.shape, dtype="float64")
    image.attach_grad()
    with autograd.record():
        back = nd.Convolution(image, weight, num_filter=4, no_bias=True, **attributes)
    back.backward(data)
    np.testing.assert_array_equal(out.asnumpy(), image.grad.asnumpy())


@pytest.mark.parametrize("target", [(8, 9), (7, 8), (6, 7), (1, 2)])
def test_a_target_shape(target):
    data, weight, _ = arrays((4, 4), (3, 3), 2)
    out = nd.Deconvolution(
        nd.array(data), nd.array(weight), kernel=(3, 3), num_filter=2, stride=(2, 2), pad=(7, 7),
        adj=(1, 1), target_shape=target,
    )  # fmt: skip
    assert out.shape[2:] == target


def test_shapes_follow_from_the_data():
    made = sym.Deconvolution(sym.var("data"), kernel=(3, 2), num_filter=6, num_group=2, name="c")
    inputs, outputs, _ = made.infer_shape(data=(5, 4, 9, 8))
    assert inputs == [(5, 4, 9, 8), (4, 3, 3, 2)] and outputs == [(5, 6, 11, 9)]
    data = sym.var("data", shape=(0, 4, 0, 0))
    made = sym.Deconvolution(data, kernel=(3, 3), num_filter=4, name="c") + sym.var("other")
    assert made.infer_shape(other=(2, 4, 6, 6))[0][0] == (2, 4, 4, 4)


@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
def test_no_image(layout):
    given = [nd.array(x) for x in arrays((3, 3), (2, 2), 4, n=0, layout=layout)]
    for x in given:
        x.attach_grad()
    with autograd.record():
        out = nd.Deconvolution(*given, kernel=(2, 2), num_filter=4, layout=layout, no_bias=False)
    out.backward()
    assert out.size == 0
    assert all(not x.grad.asnumpy().any() for x in given)


@pytest.mark.parametrize(
    ("attributes", "words"),
    [
        ({"adj": (1, 0)}, "longer by adj 1, expected less than the stride, 1"),
        ({"target_shape": (100, 3)}, "target_shape wants 100 of data of 3, which gives 5 at most"),
        ({"target_shape": (4, 4)}, "longer by adj 1, expected less than the stride, 1"),
        ({"target_shape": (4, 0), "stride": (2, 2)}, "leaves an output of 0, expected at least 1"),
        ({"pad": (3, 3)}, "data of 3 with pad 3 leaves an output of -1, expected at least 1"),
        ({"num_group": 3, "num_filter": 3}, "data has 4 channels, expected a multiple of"),
        ({"num_group": 3}, "num_filter is 4, expected a multiple of num_group, 3"),
        ({"adj": (1,)}, "adj has 1 numbers and kernel 2"),
        ({"stride": (2**31, 1)}, "stride has 2147483648, expected at most 2147483647"),
    ],
)
def test_what_does_not_fit_is_refused(attributes, words):
    data, weight, _ = arrays((3, 3), (3, 3), 4)
    with pytest.raises(ValueError, match=words) as caught:
        nd.Deconvolution(
            nd.array(data), nd.array(weight), **{"kernel": (3, 3), "num_filter": 4, **attributes}
        )
    assert "Deconvolution" in str(caught.value)
