"""Gradients of arguments that are read only by operators without a gradient."""

import pytest

import opforge as mx
from opforge import nd, sym

#: Operators that propagate no gradient, of the core and of plugins.
WITHOUT_A_GRADIENT = {
    "shape_array": sym.shape_array,
    "size_array": sym.size_array,
    "zeros_like": sym.zeros_like,
    "argmax": lambda x: sym.argmax(x, axis=1),
    "argsort": sym.argsort,
    "topk": sym.topk,
    "comparison": lambda x: x > 2,
    "BlockGrad": sym.BlockGrad,
    "second order of a linear function": lambda x: sym.BlockGrad(sym.radians(x)),
    "index_array": lambda x: sym.contrib.index_array(x),
    "arange_like": lambda x: sym.contrib.arange_like(x),
}


@pytest.mark.plugins
@pytest.mark.parametrize(("request_", "expected"), [("write", 0), ("add", 7), ("null", 7)])
@pytest.mark.parametrize("name", WITHOUT_A_GRADIENT)
def test_operators_without_a_gradient_write_zeros(name, request_, expected):
    executor = WITHOUT_A_GRADIENT[name](sym.var("x")).bind(
        mx.cpu(),
        {"x": nd.array([[1, 2], [3, 4]])},
        args_grad={"x": nd.full((2, 2), 7)},
        grad_req=request_,
    )
    executor.forward(is_train=True)
    if request_ != "null":
        executor.backward([nd.ones(y.shape, dtype=y.dtype) for y in executor.outputs])
    assert executor.grad_dict["x"].asnumpy().tolist() == [[expected] * 2] * 2
