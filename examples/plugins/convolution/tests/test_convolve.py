"""Tests of convolve: values, gradients, execution paths and errors."""

import numpy as np
import pytest
from opforge_convolution_example.checks import reference

from opforge import autograd, gluon, nd
from opforge.testing import check_gradients, check_ways

CASES = [
    ((1, 3, 7, 6), (3, 2), 4, {}),
    ((9, 2, 8, 8), (3, 3), 5, {"stride": 2, "pad": 1}),
    ((2, 1, 4, 4), (1, 1), 1, {"pad": 2}),
]


def arrays(shape, kernel, filters, dtype="float64"):
    rng = np.random.default_rng(0)
    shapes = shape, (filters, shape[1], *kernel), (filters,)
    return [rng.standard_normal(shape).astype(dtype) for shape in shapes]


@pytest.mark.parametrize(("shape", "kernel", "filters", "attributes"), CASES)
def test_values_and_gradients(shape, kernel, filters, attributes):
    inputs = arrays(shape, kernel, filters)
    attributes = {"kernel": kernel, "num_filter": filters, **attributes}
    expected = reference(*inputs, **attributes)
    for dtype, rtol in (("float64", 1e-12), ("float32", 1e-4)):
        result = nd.convolve(*[nd.array(x, dtype=dtype) for x in inputs], **attributes)
        np.testing.assert_allclose(result.asnumpy(), expected, rtol, 1e-4 if rtol > 1e-6 else 1e-12)
    check_ways(lambda F, *x: F.convolve(*x, **attributes), inputs)
    check_gradients(lambda *x: nd.convolve(*x, **attributes), inputs)


class Net(gluon.HybridBlock):
    def __init__(self):
        super().__init__()
        self.weight = self.params.get("weight", shape=(4, 0, 3, 3), allow_deferred_init=True)
        self.bias = self.params.get("bias", shape=(4,), init="zeros")

    def hybrid_forward(self, F, x, weight, bias):
        return F.convolve(x, weight, bias, kernel=(3, 3), num_filter=4, pad=1)


def test_weight_shape_is_inferred_from_data():
    net = Net()
    net.initialize()
    x = nd.ones((2, 3, 5, 5))
    assert net(x).shape == (2, 4, 5, 5) and net.weight.shape == (4, 3, 3, 3)


def test_one_gradient_of_three():
    x, w, b = (nd.array(a) for a in arrays((2, 2, 5, 5), (3, 3), 3))
    w.attach_grad()
    with autograd.record():
        y = nd.convolve(x, w, b, kernel=(3, 3), num_filter=3)
    y.backward()
    single = w.grad.asnumpy()
    for item in (x, b):
        item.attach_grad()
    with autograd.record():
        y = nd.convolve(x, w, b, kernel=(3, 3), num_filter=3)
    y.backward()
    np.testing.assert_array_equal(w.grad.asnumpy(), single)


def test_invalid_arguments_are_rejected():
    with pytest.raises(
        ValueError, match=r"convolve.*a kernel of 3 does not fit a length of 2 with pad 0"
    ):
        nd.convolve(
            nd.ones((1, 1, 2, 5)), nd.ones((1, 1, 3, 3)), nd.ones((1,)), kernel=(3, 3), num_filter=1
        )
    with pytest.raises(ValueError, match=r"convolve.*weight"):
        nd.convolve(
            nd.ones((1, 1, 5, 5)), nd.ones((1, 2, 3, 3)), nd.ones((1,)), kernel=(3, 3), num_filter=1
        )


@pytest.mark.parametrize("images", [1, 5])
def test_graph_fuses_epilogues(images):
    def block(F, x, w, b, scale, other):
        y = F.convolve(x, w, b, kernel=(3, 3), num_filter=4)
        return F.tanh(F.broadcast_mul(y, scale) + other) * 2

    rng = np.random.default_rng(1)
    scale, other = rng.standard_normal((1, 4, 1, 1)), rng.standard_normal((images, 4, 5, 6))
    inputs = [*arrays((images, 2, 7, 8), (3, 3), 4), scale, other]
    check_ways(block, inputs, rtol=1e-12, atol=1e-12)
