import numpy as np
import pytest

import opforge as mx
from opforge import autograd, gluon, nd
from opforge.base.errors import ShapeError
from opforge.testing import check_forward, check_gradients, check_requests

RNG = np.random.default_rng(0)


def reference(x, gamma, beta, axis=-1, eps=1e-5):
    if x.size == 0:
        return x
    shape = [1] * x.ndim
    shape[axis] = -1
    normal = (x - x.mean(axis, keepdims=True)) / np.sqrt(x.var(axis, keepdims=True) + eps)
    return normal * gamma.reshape(shape) + beta.reshape(shape)


def test_forward():
    shapes = [
        [(4, 3), (3,), (3,)],
        [(5,), (5,), (5,)],
        [(2, 3, 40), (40,), (40,)],
        [(0, 3), (3,), (3,)],
    ]
    tolerances = {"float32": 1e-4, "float64": 1e-10}
    assert check_forward(nd.LayerNorm, reference, shapes, tolerances=tolerances) == 8


@pytest.mark.parametrize("axis", [0, 1, 2, -1, -2])
def test_any_axis(axis):
    x = RNG.standard_normal((3, 4, 5))
    gamma, beta = RNG.standard_normal((2, x.shape[axis]))
    y = nd.LayerNorm(*[nd.array(a, dtype="float64") for a in (x, gamma, beta)], axis=axis)
    np.testing.assert_allclose(y.asnumpy(), reference(x, gamma, beta, axis), rtol=1e-9, atol=1e-12)
    check_gradients(lambda *a: nd.LayerNorm(*a, axis=axis), [x, gamma, beta], rtol=1e-4)


def test_requests():
    inputs = [RNG.standard_normal((4, 3)), RNG.standard_normal(3), RNG.standard_normal(3)]
    check_requests(nd.LayerNorm, inputs, rtol=1e-9)


def test_mean_and_deviation_on_request():
    x = RNG.standard_normal((4, 6)).astype("float32")
    y, mean, std = nd.LayerNorm(nd.array(x), nd.ones((6,)), nd.zeros((6,)), output_mean_var=True)
    assert y.shape == (4, 6)
    np.testing.assert_allclose(mean.asnumpy(), x.mean(1, keepdims=True), rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(std.asnumpy(), x.std(1, keepdims=True), rtol=1e-4)


def test_second_order_gradients_raise():
    x = nd.array(RNG.standard_normal((2, 3)))
    x.attach_grad()
    with autograd.record():
        y = nd.LayerNorm(x, nd.ones((3,)), nd.zeros((3,)))
        with pytest.raises(mx.MXNetError, match=r"LayerNorm.*cannot be differentiated again"):
            autograd.grad(y, x, create_graph=True)


def test_wrong_shapes():
    with pytest.raises(ShapeError, match="LayerNorm"):
        nd.LayerNorm(nd.ones((2, 3)), nd.ones((4,)), nd.zeros((3,)))
    with pytest.raises(ShapeError, match="axis 2"):
        nd.LayerNorm(nd.ones((2, 3)), nd.ones((3,)), nd.zeros((3,)), axis=2)


def test_layer():
    layer = gluon.nn.LayerNorm()
    assert repr(layer) == "LayerNorm(eps=1e-05, axis=-1, center=True, scale=True, in_channels=0)"
    layer.initialize()
    x = RNG.standard_normal((2, 5)).astype("float32")
    expected = reference(x.astype("float64"), np.ones(5), np.zeros(5))
    np.testing.assert_allclose(layer(nd.array(x)).asnumpy(), expected, rtol=1e-4, atol=1e-5)
    assert layer.gamma.shape == (5,)
    assert "in_channels=5" in repr(layer)
