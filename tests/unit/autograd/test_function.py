import numpy as np
import pytest

import opforge as mx
from opforge import autograd, nd


class Sigmoid(autograd.Function):
    def forward(self, x):
        y = 1 / (1 + nd.exp(-x))
        self.save_for_backward(y)
        return y

    def backward(self, dy):
        (y,) = self.saved_tensors
        return dy * y * (1 - y)


def test_forward_and_backward():
    x = nd.array([0.0, 1.0])
    x.attach_grad()
    with autograd.record():
        y = Sigmoid()(x)
    y.backward()
    s = 1 / (1 + np.exp(-np.array([0.0, 1.0])))
    np.testing.assert_allclose(x.grad.asnumpy(), s * (1 - s), rtol=1e-6)


def test_several_inputs_and_outputs():
    class SumAndProduct(autograd.Function):
        def forward(self, a, b):
            self.save_for_backward(a, b)
            return a + b, a * b

        def backward(self, dsum, dproduct):
            a, b = self.saved_tensors
            return dsum + dproduct * b, dsum + dproduct * a

    a, b = nd.array([2.0]), nd.array([5.0])
    a.attach_grad()
    b.attach_grad()
    with autograd.record():
        total, product = SumAndProduct()(a, b)
        out = total * 10 + product
    out.backward()
    assert (a.grad.asscalar(), b.grad.asscalar()) == (15, 12)


def test_an_instance_is_called_once():
    function = Sigmoid()
    function(nd.ones((1,)))
    with pytest.raises(mx.MXNetError, match="only be called once"):
        function(nd.ones((1,)))


def test_wrong_number_of_gradients():
    class Wrong(Sigmoid):
        def backward(self, dy):
            return dy, dy, dy

    x = nd.ones((1,))
    x.attach_grad()
    with autograd.record():
        y = Wrong()(x)
    with pytest.raises(mx.MXNetError, match="returned 3 gradients for 1"):
        y.backward()


def test_gradients_are_broadcast_and_cast_to_their_inputs():
    class Summed(Sigmoid):
        def backward(self, dy):
            return dy.sum().astype("float64")

    x = nd.ones((2, 3))
    x.attach_grad()
    with autograd.record():
        y = Summed()(x)
    y.backward()
    assert x.grad.dtype is np.float32
    assert x.grad.asnumpy().tolist() == [[6, 6, 6], [6, 6, 6]]


def test_methods_must_be_defined():
    with pytest.raises(NotImplementedError, match="forward"):
        autograd.Function()(nd.ones((1,)))
