import numpy as np
import pytest

import opforge as mx
from opforge import nd, sym
from opforge.symbol.gradient_types import can_cast

X = [[1, 2, 3], [4, 5, 6]]


def bind(grad, request):
    x = sym.var("x")
    net = sym.exp(x) * 0 + 3 * x
    return net.bind(mx.cpu(), {"x": nd.array(X, dtype="float16")}, {"x": grad}, request)


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16"])
@pytest.mark.parametrize(("request_", "expected"), [("write", 3), ("add", 5)])
def test_gradients_are_cast_to_the_type_of_their_array(dtype, request_, expected):
    grad = nd.zeros((2, 3), dtype=dtype)
    executor = bind(grad, request_)
    for _ in range(2):
        grad[:] = 2
        executor.forward(is_train=True)
        executor.backward(nd.ones((2, 3), dtype="float16"))
        assert executor.grad_dict["x"] is grad
        assert grad.astype("float32").asnumpy().tolist() == [[expected] * 3] * 2


@pytest.mark.plugins
def test_operators_that_run_one_by_one_cast_too():
    x, mask = sym.var("x"), sym.var("mask")
    grad = nd.zeros((2, 3))
    arrays = {"x": nd.array(X, dtype="float16"), "mask": nd.array([1, 0])}
    net = sym.contrib.boolean_mask(x, mask) * 3  # its shape depends on values
    executor = net.bind(mx.cpu(), arrays, {"x": grad}, {"x": "add", "mask": "null"})
    for _ in range(2):
        executor.forward(is_train=True)
        executor.backward(nd.ones((1, 3), dtype="float16"))
    assert grad.asnumpy().tolist() == [[6, 6, 6], [0, 0, 0]]


def test_sums_are_as_exact_as_the_array():
    grad = nd.zeros((2, 3))
    executor = bind(grad, "add")
    executor.forward(is_train=True)
    for _ in range(1001):
        executor.backward(nd.ones((2, 3), dtype="float16"))
    np.testing.assert_array_equal(grad.asnumpy(), np.full((2, 3), 3003))  # 3004 in float16


def test_executors_reshaped_from_one_cast_too():
    executor = bind(nd.zeros((2, 3)), "write").reshape(x=(1, 3), partial_shaping=True)
    executor.forward(is_train=True, x=nd.ones((1, 3), dtype="float16"))
    executor.backward(nd.ones((1, 3), dtype="float16"))
    assert executor.grad_dict["x"].dtype == np.float32
    assert executor.grad_dict["x"].asnumpy().tolist() == [[3, 3, 3]]


def test_arguments_that_no_gradient_reaches_get_zeros():
    x = sym.var("x")
    grad = nd.ones(2)
    executor = sym.BlockGrad(x).bind(mx.cpu(), {"x": nd.ones(2, dtype="float16")}, {"x": grad})
    executor.forward(is_train=True)
    executor.backward(nd.ones(2, dtype="float16"))
    assert grad.asnumpy().tolist() == [0, 0]


def test_only_floating_types_are_cast():
    x, y = nd.ones(2), nd.ones(2, dtype="float64")
    assert can_cast(x, y) and can_cast(y, x)
    assert not can_cast(x, nd.ones(2, dtype="int32")) and not can_cast(nd.ones(2, dtype="int32"), x)
    with pytest.raises(mx.MXNetError, match="args_grad is int32 for 'x', expected float16"):
        bind(nd.zeros((2, 3), dtype="int32"), "write")
