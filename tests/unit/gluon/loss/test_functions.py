import numpy as np
import pytest

from opforge import autograd, nd
from opforge.base.errors import OperatorNotFoundError
from opforge.gluon.loss.functions import log_softmax, relu, softplus


class CoreOnly:
    """The namespace without contributions of plugins."""

    def __getattr__(self, name):
        if name in ("log_softmax", "relu"):
            raise OperatorNotFoundError(name)
        return getattr(nd, name)


@pytest.fixture(params=[nd, CoreOnly()], ids=["installed", "core"])
def F(request):
    return request.param


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_log_softmax(F, axis):
    x = np.array([[1, 2, 300], [-5, 0.5, 0]])
    expected = x - x.max(axis, keepdims=True)
    expected = expected - np.log(np.exp(expected).sum(axis, keepdims=True))
    result = log_softmax(F, nd.array(x), axis).asnumpy()
    np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-6)


def test_log_softmax_gradient(F):
    x = nd.array([[1, 2, 3]])
    x.attach_grad()
    with autograd.record():
        y = nd.pick(log_softmax(F, x, 1), nd.array([0]))
    y.backward()
    p = np.exp([1.0, 2, 3]) / np.exp([1.0, 2, 3]).sum()
    np.testing.assert_allclose(x.grad.asnumpy()[0], [1 - p[0], -p[1], -p[2]], rtol=1e-5)


def test_relu(F):
    assert relu(F, nd.array([-1, 0, 2])).asnumpy().tolist() == [0, 0, 2]


def test_softplus_value_and_gradient():
    values = np.array([-200, -1, 0, 1, 200.0])
    x = nd.array(values)
    x.attach_grad()
    with autograd.record():
        y = softplus(nd, x)
    y.backward()
    np.testing.assert_allclose(y.asnumpy(), np.logaddexp(0, values), rtol=1e-5, atol=1e-30)
    np.testing.assert_allclose(x.grad.asnumpy(), 1 / (1 + np.exp(-values)), rtol=1e-5, atol=1e-30)
