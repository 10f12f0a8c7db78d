"""Deconvolution against NumPy over a grid of attributes, and its relation to Convolution."""

from functools import partial

import numpy as np
import pytest
from opforge_convolution.references import deconvolution

from opforge import autograd, nd, sym
from opforge.testing import check_gradients

from . import grids
from .grids import TOLERANCES

SIZES = {1: ((6,), (3,)), 2: ((4, 5), (3, 2)), 3: ((3, 2, 3), (2, 3, 1))}
arrays = partial(grids.arrays, is_transposed=True)


@pytest.mark.parametrize("dims", [1, 2, 3])
@pytest.mark.parametrize("dtype", sorted(TOLERANCES))
def test_grid(dims, dtype):
    lengths, kernel = SIZES[dims]
    cases = grids.grid(lengths, kernel, is_transposed=True)
    for given, attributes, stride, _, pad in cases:
        attributes["pad"] = (pad if min(kernel) > 1 else 0,) * dims
        attributes |= {"adj": (stride - 1,) * dims, "no_bias": False}
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


def test_agrees_with_the_gradient_of_a_convolution():
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
def test_target_shape(target):
    data, weight, _ = arrays((4, 4), (3, 3), 2)
    out = nd.Deconvolution(
        nd.array(data), nd.array(weight), kernel=(3, 3), num_filter=2, stride=(2, 2), pad=(7, 7),
        adj=(1, 1), target_shape=target,
    )  # fmt: skip
    assert out.shape[2:] == target


def test_shapes_are_inferred_from_the_data():
    made = sym.Deconvolution(sym.var("data"), kernel=(3, 2), num_filter=6, num_group=2, name="c")
    inputs, outputs, _ = made.infer_shape(data=(5, 4, 9, 8))
    assert inputs == [(5, 4, 9, 8), (4, 3, 3, 2)] and outputs == [(5, 6, 11, 9)]
    data = sym.var("data", shape=(0, 4, 0, 0))
    made = sym.Deconvolution(data, kernel=(3, 3), num_filter=4, name="c") + sym.var("other")
    assert made.infer_shape(other=(2, 4, 6, 6))[0][0] == (2, 4, 4, 4)


@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
def test_empty_batch(layout):
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
        ({"adj": (1, 0)}, "adj is 1; expected less than the stride, 1"),
        ({"target_shape": (100, 3)}, "target_shape is 100, but data of length 3 give at most 5"),
        ({"target_shape": (4, 4)}, "adj is 1; expected less than the stride, 1"),
        (
            {"target_shape": (4, 0), "stride": (2, 2)},
            "give an output of length 0; expected at least 1",
        ),
        (
            {"pad": (3, 3)},
            "data of length 3 with pad 3 give an output of length -1; expected at least 1",
        ),
        ({"num_group": 3, "num_filter": 3}, "data has 4 channels; expected a multiple of"),
        ({"num_group": 3}, "num_filter is 4; expected a multiple of num_group, 3"),
        ({"adj": (1,)}, "adj has 1 numbers and kernel 2"),
        ({"stride": (2**31, 1)}, "stride has 2147483648; expected at most 2147483647"),
    ],
)
def test_invalid_arguments_raise(attributes, words):
    data, weight, _ = arrays((3, 3), (3, 3), 4)
    with pytest.raises(ValueError, match=words) as caught:
        nd.Deconvolution(
            nd.array(data), nd.array(weight), **{"kernel": (3, 3), "num_filter": 4, **attributes}
        )
    assert "Deconvolution" in str(caught.value)
