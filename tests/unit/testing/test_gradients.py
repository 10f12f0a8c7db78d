"""The gradient check finds wrong gradients of either order."""

import pytest

import opforge as mx
from opforge import autograd, nd
from opforge.testing import GradientMismatchError, check_gradients


class Cubed(autograd.Function):
    """x**3 with a gradient that is off by `factor`."""

    def __init__(self, factor):
        super().__init__()
        self.factor = factor

    def forward(self, x):
        self.save_for_backward(x)
        return x * x * x

    def backward(self, dy):
        (x,) = self.saved_tensors
        return dy * 3 * x * x * self.factor


def test_right_gradients_pass():
    check_gradients(lambda x: Cubed(1)(x), [[1.0, -2.0]])
    check_gradients(lambda x, y: [x * y, x + y], [[1.0, 2.0], [3.0, 4.0]], order=2)


def test_wrong_gradient_is_found():
    with pytest.raises(GradientMismatchError, match=r"gradient of order 1: .* shapes \[\(2,\)\]"):
        check_gradients(lambda x: Cubed(1.01)(x), [[1.0, -2.0]])


def test_wrong_second_gradient_is_found():
    class Odd(mx.operator.OperatorProp):
        """The square, whose gradient forgets its own gradient."""

        name = "odd_square"

        def infer_shape(self, in_shape):
            return in_shape, [in_shape[0]], []

        def compute(self, in_data, out_data, req, is_train):
            out_data[0][:] = in_data[0] * in_data[0]

        def gradient(self, F, out_grad, in_data, out_data):
            return [out_grad[0] * 2 * in_data[0].detach()]

    mx.operator.register("odd_square")(Odd)

    def square(x):
        return nd.Custom(x, op_type="odd_square")

    check_gradients(square, [[1.0, 2.0]])
    with pytest.raises(GradientMismatchError, match="gradient of order 2"):
        check_gradients(square, [[1.0, 2.0]], order=2)
