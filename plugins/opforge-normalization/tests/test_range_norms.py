import numpy as np
import pytest

from opforge import autograd, gluon, nd
from opforge.testing import check_forward, check_gradients, check_requests


def min_max(x, axis=None):
    low, high = x.min(axis, keepdims=True), x.max(axis, keepdims=True)
    return (x - low) / (high - low)


def center(x, axis=None):
    return x - x.mean(axis, keepdims=True)


REFERENCES = {"min_max_norm": min_max, "center": center}
X = [[1.0, 4.0, -2.0, 0.5], [3.0, -1.0, 2.5, 7.0]]


@pytest.mark.parametrize("name", sorted(REFERENCES))
@pytest.mark.parametrize("axis", [None, 0, 1, -1])
def test_forward_and_gradients(name, axis):
    def function(x):
        return getattr(nd, name)(x, axis=axis)

    shapes = [[(4, 3)], [(2, 5)], [(30, 40)]]
    assert (
        check_forward(
            function,
            lambda x: REFERENCES[name](x, axis),
            shapes,
            tolerances={"float32": 1e-5, "float64": 1e-11},
        )
        == 6
    )
    check_gradients(function, [X], rtol=1e-4)
    check_requests(function, [X], rtol=1e-9)


def test_layers():
    x = nd.array([1.0, 2.0, 3.0, 4.0, 5.0])
    assert gluon.nn.Centering()(x).asnumpy().tolist() == [-2, -1, 0, 1, 2]
    assert gluon.nn.MinMaxNormalization()(x).asnumpy().tolist() == [0, 0.25, 0.5, 0.75, 1]


def test_layers_in_a_network():
    net = gluon.nn.HybridSequential()
    net.add(gluon.nn.MinMaxNormalization(axis=1), gluon.nn.Centering())
    net.hybridize()
    x = nd.array(X)
    x.attach_grad()
    with autograd.record():
        y = net(x)
    y.backward(nd.ones(y.shape))
    np.testing.assert_allclose(y.asnumpy(), center(min_max(np.array(X), 1)), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(x.grad.asnumpy().sum(), 0, atol=1e-5)
