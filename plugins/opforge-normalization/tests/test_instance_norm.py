import numpy as np
import pytest

from opforge import gluon, nd
from opforge.base.errors import ShapeError
from opforge.testing import check_gradients, check_requests

RNG = np.random.default_rng(0)


def reference(x, gamma, beta, eps=1e-3):
    axes = tuple(range(2, x.ndim))
    normal = (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + eps)
    shape = (1, -1) + (1,) * (x.ndim - 2)
    return normal * gamma.reshape(shape) + beta.reshape(shape)


@pytest.mark.parametrize("shape", [(2, 3, 4), (1, 1, 5), (2, 3, 4, 5), (4, 2, 1)])
def test_forward_and_gradients(shape):
    inputs = [RNG.standard_normal(shape), *RNG.standard_normal((2, shape[1]))]
    arrays = [nd.array(a, dtype="float64") for a in inputs]
    np.testing.assert_allclose(
        nd.InstanceNorm(*arrays).asnumpy(), reference(*inputs), rtol=1e-9, atol=1e-12
    )
    check_gradients(nd.InstanceNorm, inputs, rtol=1e-4, atol=1e-6)
    check_requests(nd.InstanceNorm, inputs, rtol=1e-9)


def test_zero_size():
    y = nd.InstanceNorm(nd.ones((0, 3, 4)), nd.ones((3,)), nd.zeros((3,)))
    assert y.shape == (0, 3, 4)


def test_wrong_shapes():
    with pytest.raises(ShapeError, match="three dimensions"):
        nd.InstanceNorm(nd.ones((2, 3)), nd.ones((3,)), nd.zeros((3,)))


@pytest.mark.parametrize("axis", [1, 2])
def test_layer(axis):
    layer = gluon.nn.InstanceNorm(axis=axis, epsilon=1e-3)
    layer.initialize()
    x = RNG.standard_normal((2, 3, 4)).astype("float32")
    moved = np.swapaxes(x, 1, axis)
    channels = moved.shape[1]
    expected = np.swapaxes(reference(moved, np.ones(channels), np.zeros(channels)), 1, axis)
    np.testing.assert_allclose(layer(nd.array(x)).asnumpy(), expected, rtol=1e-3, atol=1e-4)
    assert layer.beta.shape == (channels,)


@pytest.mark.parametrize(("gamma", "beta"), [((3,), (1,)), ((1,), (3,)), ((0,), (1,))])
def test_mismatched_gamma_and_beta_raise(gamma, beta):
    with pytest.raises(ShapeError, match=r"expected \(1,\) because data has shape \(2, 1, 4\)"):
        nd.InstanceNorm(nd.ones((2, 1, 4)), nd.ones(gamma), nd.ones(beta))
