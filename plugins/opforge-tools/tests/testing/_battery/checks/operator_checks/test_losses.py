from opforge.op.declaring.custom import CustomOp
from opforge.op.declaring.declaration import OperatorProp

SAMPLES = [{"inputs": [(2, 3), (2, 3)], "wanted": [0]}]


class SquaredError(OperatorProp):
    """Return `data`; backward half the squared error's gradient, which subclasses get wrong."""

    name = "squared_error_of_battery"
    arguments = ("data", "label")
    need_top_grad = False

    def compute(self, in_data, out_data, req, is_train):
        CustomOp().assign(out_data[0], req[0], in_data[0])

    def gradient(self, F, out_grad, in_data, out_data):
        return [in_data[0] - in_data[1], None]


class WrongSign(SquaredError):
    """Go uphill."""

    name = "uphill_of_battery"

    def gradient(self, F, out_grad, in_data, out_data):
        return [in_data[1] - in_data[0], None]


class WithHead(SquaredError):
    """Say that the gradient from above is not needed, and use it."""

    name = "head_of_battery"

    def gradient(self, F, out_grad, in_data, out_data):
        return [(in_data[0] - in_data[1]) * out_grad[0], None]


def half_squared_error(data, label):
    return (data - label) ** 2 / 2


def found(outcome, declaration, check="gradients", **options):
    return outcome(check, declaration, samples=SAMPLES, **options)


def test_the_gradient_is_that_of_the_loss(outcome):
    assert found(outcome, SquaredError, loss=half_squared_error).status == "passed"
    # The loss may be summed up already.
    assert (
        found(outcome, SquaredError, loss=lambda *x: half_squared_error(*x).sum()).status
        == "passed"
    )


def test_a_wrong_gradient_is_found(outcome):
    wrong = found(outcome, WrongSign, loss=half_squared_error)
    assert wrong.status == "failed"
    assert "sample (2, 3), (2, 3): along a random direction" in wrong.message
    assert found(outcome, WithHead, loss=half_squared_error).status == "failed"
    assert (
        found(outcome, SquaredError, loss=lambda *x: 2 * half_squared_error(*x)).status == "failed"
    )


def test_without_a_loss_there_is_nothing_to_compare_with(outcome):
    skipped = found(outcome, SquaredError)
    assert skipped.status == "skipped" and "{'loss': function}" in skipped.message
    skipped = found(outcome, SquaredError, "second gradients", loss=half_squared_error)
    assert skipped.status == "skipped"
