"""The check of gradient requests finds a backward that ignores them."""

import pytest

import opforge as mx
from opforge import nd
from opforge.testing import check_requests


class Twice(mx.operator.CustomOp):
    def forward(self, is_train, req, in_data, out_data, aux):
        self.assign(out_data[0], req[0], in_data[0] * 2)

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        self.assign(in_grad[0], req[0], out_grad[0] * 2)


class Careless(Twice):
    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        in_grad[0][:] = out_grad[0] * 2


def declare(name, operator):
    class Prop(mx.operator.CustomOpProp):
        def create_operator(self, ctx, in_shapes, in_dtypes):
            return operator()

    mx.operator.register(name)(Prop)
    return lambda x: nd.Custom(x, op_type=name)


def test_right_operators_pass():
    check_requests(lambda a, b: [a * b, a + b], [[1.0, 2.0], [3.0, 4.0]])
    check_requests(declare("requests_twice", Twice), [[1.0, 2.0]])


def test_ignored_request_is_found():
    with pytest.raises(AssertionError, match=r"input 0 with requests \['add'\]"):
        check_requests(declare("requests_careless", Careless), [[1.0, 2.0]])
