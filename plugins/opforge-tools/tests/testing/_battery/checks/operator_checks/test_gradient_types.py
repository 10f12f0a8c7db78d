import numpy as np

from opforge.op.declaring.custom import CustomOp
from opforge.op.declaring.declaration import OperatorProp


class Square(OperatorProp):
    """Square, with a gradient that is off in float32."""

    name = "square_of_types"

    def create_operator(self, ctx, shapes, dtypes):
        return Run()


class Run(CustomOp):
    def forward(self, is_train, req, in_data, out_data, aux):
        self.assign(out_data[0], req[0], in_data[0] * in_data[0])

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        factor = 2.001 if in_data[0].dtype == np.float32 else 2
        self.assign(in_grad[0], req[0], out_grad[0] * in_data[0] * factor)


def test_a_gradient_that_is_wrong_in_one_type(outcome):
    assert outcome("gradients", Square).status == "passed"
    found = outcome("gradient types", Square)
    assert found.status == "failed"
    assert "dtype float32, gradient of input 0" in found.message
    assert outcome("gradient types", "tanh").samples == 10


def test_random_operators_are_skipped(outcome):
    found = outcome("gradient types", "_sample_normal", samples=[[(2,), (2,)]])
    assert found.status == "skipped"
