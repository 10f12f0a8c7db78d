"""Products: inferred shapes, mismatched shapes, element types."""

import numpy as np
import pytest

import opforge as mx
from opforge import autograd, nd, sym
from opforge.base.errors import ShapeError
from opforge.op.registry.registry import lookup


def dense(**attributes):
    return lookup("FullyConnected").prop_class(**attributes)


def test_weight_and_bias_are_inferred():
    assert dense(num_hidden=4).infer_shape([[2, 3, 5], [], []])[0] == [(2, 3, 5), (4, 15), (4,)]
    inputs, outputs, _ = dense(num_hidden=4, flatten=False).infer_shape([[2, 3, 5], [4, 0], [0]])
    assert inputs == [(2, 3, 5), (4, 5), (4,)] and outputs == [(2, 3, 4)]
    assert dense(num_hidden=4, no_bias=True).list_arguments() == ["data", "weight"]


def test_dense_with_wrong_shapes():
    x = nd.ones((2, 3))
    with pytest.raises(ShapeError, match=r"'weight' has shape \(4, 5\), expected \(4, 3\)"):
        nd.FullyConnected(x, nd.ones((4, 5)), nd.ones(4), num_hidden=4)
    with pytest.raises(ShapeError, match=r"'bias' has shape \(5,\), expected \(4,\) or \(4, 1\)"):
        nd.FullyConnected(x, nd.ones((4, 3)), nd.ones(5), num_hidden=4)
    with pytest.raises(RuntimeError, match="expects 3 inputs, but got 2"):
        nd.FullyConnected(x, nd.ones((4, 3)), num_hidden=4)


def test_dense_on_a_vector():
    x, w = nd.array([3, 1, 2]), nd.ones((2, 1))
    x.attach_grad()
    w.attach_grad()
    with autograd.record():
        y = nd.FullyConnected(x, w, num_hidden=2, no_bias=True)  # three rows of one element
    y.backward()
    assert y.asnumpy().tolist() == [[3, 3], [1, 1], [2, 2]]
    assert x.grad.asnumpy().tolist() == [2, 2, 2] and w.grad.asnumpy().tolist() == [[6], [6]]
    flat = nd.FullyConnected(x, nd.ones((2, 3)), num_hidden=2, no_bias=True, flatten=False)
    assert flat.asnumpy().tolist() == [6, 6]


@pytest.mark.parametrize("weight", [(), (0, 1), (0, 3), (2, 0)])
def test_dense_with_a_weight_that_has_no_rows(weight):
    with pytest.raises(mx.MXNetError, match="weight"):
        nd.FullyConnected(nd.ones((2, 3)), nd.zeros(weight), num_hidden=2, no_bias=True)


@pytest.mark.parametrize(
    ("left", "right", "attributes"),
    [
        ((2, 3), (2, 3), {}),
        ((5,), (2, 3), {}),
        ((2, 3, 4), (2, 3, 4), {}),
        ((2, 3), (3, 2), {"transpose_a": True}),
    ],
)
def test_dot_shape_errors(left, right, attributes):
    with pytest.raises(ShapeError, match="dot shape error"):
        nd.dot(nd.ones(left), nd.ones(right), **attributes)


def test_batch_dot_shape_errors():
    for left, right in (((2, 3, 4), (3, 4, 5)), ((2, 3, 4), (2, 3, 5)), ((3, 4), (4, 5))):
        with pytest.raises(ShapeError, match="batch_dot"):
            nd.batch_dot(nd.ones(left), nd.ones(right))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int32"])
def test_dot_in_every_type(dtype):
    a = np.arange(6).reshape(2, 3)
    have = nd.dot(nd.array(a, dtype=dtype), nd.array(a.T, dtype=dtype))
    assert np.dtype(have.dtype).name == dtype
    assert have.asnumpy().tolist() == (a @ a.T).tolist()


def test_gradient_where_an_input_needs_none():
    x, w = nd.ones((2, 3)), nd.ones((4, 3))
    w.attach_grad()
    with autograd.record():
        y = nd.FullyConnected(x, w, num_hidden=4, no_bias=True)
    y.backward()
    assert w.grad.asnumpy().tolist() == [[2, 2, 2]] * 4


@pytest.mark.plugins
def test_a_bias_may_be_a_column():
    x, w, b = nd.ones((2, 3)), nd.ones((4, 3)), nd.arange(4).reshape((4, 1))
    b.attach_grad()
    with autograd.record():
        y = nd.FullyConnected(x, w, b, num_hidden=4)
    y.backward()
    assert y.asnumpy().tolist() == [[3, 4, 5, 6]] * 2
    assert b.grad.asnumpy().tolist() == [[2]] * 4
    symbol = mx.sym.relu(mx.sym.FullyConnected(mx.sym.var("x"), name="fc", num_hidden=4))
    executor = symbol.simple_bind(mx.cpu(), x=(2, 3), fc_bias=(4, 1))
    executor.copy_params_from({"x": x, "fc_weight": w, "fc_bias": b})
    assert executor.forward(is_train=True)[0].asnumpy().tolist() == [[3, 4, 5, 6]] * 2
    executor.backward(nd.ones((2, 4)))
    assert executor.grad_dict["fc_bias"].asnumpy().tolist() == [[2]] * 4


def test_empty_inner_axis_gives_the_bias():
    y = nd.FullyConnected(nd.zeros((2, 0)), nd.zeros((3, 0)), nd.array([1, 2, 3]), num_hidden=3)
    assert y.asnumpy().tolist() == [[1, 2, 3], [1, 2, 3]]


@pytest.mark.parametrize("transposed", [False, True])
def test_dot_infers_the_summed_axis(transposed):
    y = sym.dot(
        sym.var("x"), sym.var("w", shape=(4, 0) if transposed else (0, 4)), False, transposed
    )
    shapes, outputs, _ = y.infer_shape(x=(2, 3))
    assert shapes[1] == ((4, 3) if transposed else (3, 4)) and outputs == [(2, 4)]


def test_dot_of_axes_without_elements():
    assert nd.dot(nd.ones((2, 0)), nd.ones((0, 4))).asnumpy().tolist() == [[0] * 4] * 2
    with pytest.raises(mx.MXNetError, match="shapes"):
        nd.dot(nd.ones((2, 0)), nd.ones((3, 4)))
