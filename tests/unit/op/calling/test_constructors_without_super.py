"""Operators whose constructors do not call the base class's, in every kind of call."""

import pytest

import opforge
from opforge import autograd, nd, operator, sym


class Square(operator.CustomOp):
    def __init__(self):
        self.calls = 0

    def forward(self, is_train, req, in_data, out_data, aux):
        self.calls += 1
        self.assign(out_data[0], req[0], in_data[0] * in_data[0])

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        self.assign(in_grad[0], req[0], 2 * in_data[0] * out_grad[0])


@pytest.fixture(params=["", "dot", "relu"])
def square(request):
    """Register an operator whose attribute `name` only its author uses."""
    from opforge.op.registry import registry

    class SquareProp(operator.CustomOpProp):
        def __init__(self, power="2"):
            self.power = power
            if request.param:
                self.name = request.param

        def create_operator(self, ctx, in_shapes, in_dtypes):
            return Square()

    with registry.temporary():
        operator.register("square_without_super")(SquareProp)
        yield "square_without_super"


def test_arrays(square):
    x = nd.array([1.0, -2.0])
    x.attach_grad()
    with autograd.record():
        y = nd.Custom(x, op_type=square)
    y.backward()
    assert y.asnumpy().tolist() == [1, 4] and x.grad.asnumpy().tolist() == [2, -4]


@pytest.mark.parametrize("stype", ["csr", "row_sparse"])
def test_sparse_arrays(square, stype):
    x = nd.array([[1.0, 0.0], [0.0, -2.0]]).tostype(stype)
    assert nd.Custom(x, op_type=square).asnumpy().tolist() == [[1, 0], [0, 4]]


@pytest.mark.parametrize("stype", ["default", "csr", "row_sparse"])
def test_symbols(square, stype):
    y = sym.Custom(sym.var("x", stype=stype), op_type=square, power="2")
    executor = y.simple_bind(opforge.cpu(), x=(1, 2))
    executor.arg_dict["x"][:] = nd.array([[3.0, 0.0]])
    assert executor.forward(is_train=True)[0].asnumpy().tolist() == [[9, 0]]
    executor.backward(nd.ones((1, 2)))
    assert executor.grad_dict["x"].asnumpy().tolist() == [[6, 0]]
