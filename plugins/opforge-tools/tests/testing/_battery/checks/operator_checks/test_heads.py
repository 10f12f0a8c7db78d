from opforge.op.declaring.custom import CustomOp
from opforge.op.declaring.declaration import OperatorProp


class Run(CustomOp):
    def __init__(self, kind):
        self.kind, self.is_train, self.calls = kind, True, 0

    def forward(self, is_train, req, in_data, out_data, aux):
        self.is_train = is_train
        self.assign(out_data[0], req[0], in_data[0] * in_data[0])

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        self.calls += 1
        head = out_grad[0].clip(-5, 5) if self.kind == "clips" else out_grad[0]
        factor = {"forgets": 2 * (self.calls == 1), "mode": 2 + (not self.is_train)}
        self.assign(in_grad[0], req[0], head * in_data[0] * factor.get(self.kind, 2))


def operator(kind):
    class Prop(OperatorProp):
        """Square."""

        name = f"square_that_{kind}"

        def create_operator(self, ctx, shapes, dtypes):
            return Run(kind)

    return Prop


def test_sound_ones_pass(outcome):
    for check in ("heads", "backward twice", "prediction gradients"):
        assert outcome(check, operator("works")).status == "passed"


def test_gradients_from_above_of_any_size(outcome):
    found = outcome("heads", operator("clips"))
    assert "with 1000 times the head gradient, the gradient of input 0" in found.message


def test_a_second_backward(outcome):
    found = outcome("backward twice", operator("forgets"))
    assert "in a second backward the gradient of input 0 is 0 in element" in found.message


def test_gradients_of_predictions(outcome):
    found = outcome("prediction gradients", operator("mode"))
    assert found.status == "failed" and "the finite difference is" in found.message


def test_losses_take_nothing_from_above(outcome):
    class Loss(operator("is a loss")):
        """Square."""

        name = "loss_of_heads"
        need_top_grad = False

    assert "the head gradient is ignored" in outcome("heads", Loss).message
