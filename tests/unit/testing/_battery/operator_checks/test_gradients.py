import ctypes

import numpy as np

from opforge.op.custom import CustomOp
from opforge.op.declaration import OperatorProp
from opforge.op.native import NativeOperator, functions

SAMPLES = [[(2, 3)]]


class Square(OperatorProp):
    """Square, with a gradient that a subclass gets wrong."""

    name = "square_of_battery"
    factor = 2.0

    def compute(self, in_data, out_data, req, is_train):
        CustomOp().assign(out_data[0], req[0], in_data[0].asnumpy() ** 2)

    def gradient(self, F, out_grad, in_data, out_data):
        return [out_grad[0] * in_data[0] * self.factor]


class WrongSquare(Square):
    """Forget the factor."""

    name = "wrong_square"
    factor = 1.0


class Detached(Square):
    """Have a gradient that its own gradient does not know of."""

    name = "detached"

    def gradient(self, F, out_grad, in_data, out_data):
        return [F.BlockGrad(out_grad[0] * in_data[0] * 2)]


@ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)
def nothing(call):
    return 0


def test_a_gradient_in_c_has_no_gradient(outcome):
    class InC(NativeOperator):
        """Leave the output as it is."""

        name = "in_c_of_battery"
        library = functions(forward=nothing, backward=nothing)

    found = outcome("second gradients", InC, samples=SAMPLES)
    assert found.status == "skipped" and "is a C function" in found.message


def test_first_gradients(outcome):
    assert outcome("gradients", Square, samples=SAMPLES).status == "passed"
    found = outcome("gradients", WrongSquare, samples=SAMPLES)
    assert found.status == "failed" and "sample (2, 3): gradient of order 1" in found.message


def test_parameters_are_moved_too(outcome):
    class Scale(Square):
        """Scale by a parameter, and forget its gradient."""

        name = "scale_of_battery"
        arguments = ("data", "gamma")

        def compute(self, in_data, out_data, req, is_train):
            CustomOp().assign(out_data[0], req[0], (in_data[0] * in_data[1]).asnumpy())

        def gradient(self, F, out_grad, in_data, out_data):
            return [out_grad[0] * in_data[1], None]

    found = outcome("gradients", Scale, samples=[[(2,), (2,)]])
    assert found.status == "failed"
    only_data = [{"inputs": [(2,), (2,)], "wanted": [0]}]
    assert outcome("gradients", Scale, samples=only_data).status == "passed"


def test_second_gradients(outcome):
    assert outcome("second gradients", Square, samples=SAMPLES).status == "passed"
    found = outcome("second gradients", Detached, samples=SAMPLES)
    assert found.status == "failed" and "gradient of order 2" in found.message
    # One fault, one failure: that of the first gradient.
    found = outcome("second gradients", WrongSquare, samples=SAMPLES)
    assert (found.status, found.message) == ("skipped", "the first gradient is wrong already")


def test_gradient_requests(outcome):
    assert outcome("gradient requests", Square, samples=SAMPLES).status == "passed"


def test_what_has_no_derivative_is_skipped(outcome):
    assert "differentiable" in outcome("gradients", "argmax").message
    whole = [[np.arange(3)]]
    assert "no sample has an input" in outcome("gradients", Square, samples=whole).message

    class Loss(Square):
        """Give a gradient whatever comes from above."""

        name = "loss_of_battery"
        need_top_grad = False

    assert "need_top_grad" in outcome("gradients", Loss, samples=SAMPLES).message
