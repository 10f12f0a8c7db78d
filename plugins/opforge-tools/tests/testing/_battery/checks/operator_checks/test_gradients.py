import numpy as np

from opforge.op.declaring.custom import CustomOp
from opforge.op.declaring.declaration import OperatorProp
from opforge.op.registry.registration import register

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
    assert (found.status, found.message) == ("skipped", "the first gradient is already wrong")


def test_gradient_requests(outcome):
    assert outcome("gradient requests", Square, samples=SAMPLES).status == "passed"


def test_non_differentiable_operators_are_skipped(outcome):
    assert "differentiable" in outcome("gradients", "_contrib_allclose").message
    whole = [[np.arange(3)]]
    assert (
        "no sample has a differentiable input"
        in outcome("gradients", Square, samples=whole).message
    )

    class Loss(Square):
        """Give a gradient whatever comes from above."""

        name = "loss_of_battery"
        need_top_grad = False

    assert "need_top_grad" in outcome("gradients", Loss, samples=SAMPLES).message


def test_results_too_coarse_for_a_difference_are_left_out(outcome):
    single = [{"inputs": [(2, 3)], "attributes": {"dtype": "float32"}}]
    assert "no result is float64" in outcome("gradients", "Cast", samples=single).message


class Final(CustomOp):
    def forward(self, is_train, req, in_data, out_data, aux):
        self.assign(out_data[0], req[0], in_data[0] * 2)

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        self.assign(in_grad[0], req[0], out_grad[0] * 2)


class FinalProp(OperatorProp):
    """Double, with a backward of its own."""

    name = "final_of_battery"

    def create_operator(self, ctx, shapes, dtypes):
        return Final()


class MadeOfFinal(OperatorProp):
    """Double by an operator that is differentiated once."""

    name = "made_of_final"

    def compose(self, F, data):
        return F.Custom(data, op_type="final_of_battery")


def test_gradients_that_are_no_operators_end_the_chain(outcome, clean_registry):
    register("final_of_battery")(FinalProp)
    assert outcome("gradients", MadeOfFinal, samples=SAMPLES).status == "passed"
    for declaration in (FinalProp, MadeOfFinal):
        found = outcome("second gradients", declaration, samples=SAMPLES)
        assert found.status == "skipped" and "composed of operators" in found.message
