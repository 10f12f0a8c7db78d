"""Operators of MXNet's first protocol run as custom operators; nothing of an error is lost."""

import numpy as np
import pytest
from opforge_mxnet.legacy.adapting import register_legacy

from opforge import autograd, nd
from opforge.base.errors import OperatorError


class Softmax:
    """MXNet's example, in the first protocol."""

    takes_numpy = True

    def need_top_grad(self):
        return False

    def list_arguments(self):
        return ["data", "label"]

    def list_outputs(self):
        return ["output"]

    def infer_shape(self, in_shape):
        return [in_shape[0], (in_shape[0][0],)], [in_shape[0]]

    def declare_backward_dependency(self, out_grad, in_data, out_data):
        return [*in_data, *out_data]

    def forward(self, in_data, out_data):
        x, y = in_data[0], out_data[0]
        y[:] = np.exp(x - x.max(axis=1, keepdims=True))
        y /= y.sum(axis=1, keepdims=True)

    def backward(self, out_grad, in_data, out_data, in_grad):
        rows = in_data[1].astype(int)
        in_grad[0][:] = out_data[0]
        in_grad[0][np.arange(len(rows)), rows] -= 1.0


class NDArraySoftmax(Softmax):
    takes_numpy = False

    def forward(self, in_data, out_data):
        out_data[0][:] = nd.softmax(in_data[0])

    def backward(self, out_grad, in_data, out_data, in_grad):
        in_grad[0][:] = out_data[0] - nd.one_hot(in_data[1], out_data[0].shape[1])


@pytest.fixture(params=[Softmax, NDArraySoftmax])
def name(request):
    return register_legacy(request.param())


def expected(x, label):
    y = np.exp(x - x.max(1, keepdims=True))
    y /= y.sum(1, keepdims=True)
    return y, y - np.eye(x.shape[1])[label]


@pytest.mark.plugins
def test_forward_and_backward(name):
    rng = np.random.default_rng(0)
    x, label = rng.standard_normal((4, 5), dtype=np.float32), rng.integers(0, 5, 4)
    data = nd.array(x)
    data.attach_grad()
    with autograd.record():
        y = nd.Custom(data, nd.array(label), op_type=name)
    y.backward()
    want, gradient = expected(x, label)
    np.testing.assert_allclose(y.asnumpy(), want, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(data.grad.asnumpy(), gradient, rtol=1e-5, atol=1e-6)


@pytest.mark.plugins
def test_gradients_are_added_where_that_is_asked(name):
    """MXNet's NumpyOp refuses it."""
    x, label = np.ones((2, 3), np.float32), np.array([0, 2])
    data = nd.array(x)
    data.attach_grad("add")
    for _ in range(2):
        with autograd.record():
            y = nd.Custom(data, nd.array(label), op_type=name)
        y.backward()
    np.testing.assert_allclose(data.grad.asnumpy(), 2 * expected(x, label)[1], rtol=1e-5)


@pytest.mark.plugins
def test_inputs_without_a_gradient_are_left_alone(name):
    data, label = nd.ones((2, 3)), nd.zeros((2,))
    label.attach_grad()
    with autograd.record():
        y = nd.Custom(data, label, op_type=name)
    y.backward()
    assert label.grad.asnumpy().tolist() == [0, 0]


def test_instance_names_include_the_class():
    first, second = register_legacy(Softmax()), register_legacy(Softmax())
    assert first != second
    assert "test_adapting.Softmax#" in first


def test_types_follow_the_first_known_one():
    x = nd.array(np.ones((2, 3)), dtype="float64")
    y = nd.Custom(x, nd.array([0, 1], dtype="float64"), op_type=register_legacy(Softmax()))
    assert y.dtype is np.float64


def test_errors_of_an_operator_propagate():
    """MXNet swallows it and goes on with garbage."""

    class Wrong(Softmax):
        def forward(self, in_data, out_data):
            raise KeyError("mine")

    with pytest.raises(OperatorError, match="Wrong#") as caught:
        nd.Custom(nd.ones((2, 3)), nd.zeros((2,)), op_type=register_legacy(Wrong()))
    assert isinstance(caught.value.__cause__, KeyError)


def test_shapes_of_outputs_may_differ_from_the_inputs():
    """MXNet shows inputs with the wrong shape then."""
    seen = []

    class Tile(Softmax):
        def list_arguments(self):
            return ["input"]

        def infer_shape(self, in_shape):
            return in_shape, [in_shape[0] + [4]]

        def forward(self, in_data, out_data):
            seen.append((in_data[0].shape, out_data[0].shape))
            out_data[0][:] = in_data[0][..., None]

    y = nd.Custom(nd.ones((2, 3)), op_type=register_legacy(Tile()))
    assert seen == [((2, 3), (2, 3, 4))]
    assert (y.asnumpy() == 1).all()
