import pytest

from opforge.op.declaring.attribute import Attribute
from opforge.op.declaring.declaration import OperatorProp
from opforge.op.declaring.layouts import BlockedForm

SAMPLES = [{"inputs": [(2, 4, 3)]}]


class Ramp(OperatorProp):
    """Multiply each channel by its number."""

    name = "ramp_of_battery"
    blocked = Attribute(bool, default=False, doc="Channels lie in two axes.")

    def compose(self, F, data):
        if not self.blocked:
            return F.broadcast_mul(data, F.reshape(F.arange(data.shape[1]), shape=(1, -1, 1)))
        groups, lanes = data.shape[1], data.shape[-1]
        return F.broadcast_mul(data, F.reshape(F.arange(groups * lanes), shape=(1, groups, 1, -1)))

    def infer_shape(self, in_shape):
        return in_shape, [in_shape[0]], []

    def blocked_form(self, inputs, needs_gradient):
        layout = inputs[0].layout
        return None if layout is None else BlockedForm([layout], [layout], {"blocked": True})


def variant(**body):
    return type("Variant", (Ramp,), {"__doc__": "Multiply each channel by its number.", **body})


def test_every_form_of_every_sample_is_tried(outcome):
    found = outcome("blocked forms", Ramp, samples=SAMPLES)
    # Lanes of 1, 2 and 4, in training and in prediction.
    assert (found.status, found.samples) == ("passed", 6)


def test_a_form_that_computes_something_else_is_found(outcome):
    def compose(self, F, data):
        return Ramp.compose(self, F, data) + self.blocked

    found = outcome("blocked forms", variant(compose=compose), samples=SAMPLES)
    assert found.status == "failed"
    assert "sample (2, 4, 3), the blocked form BlockedForm(inputs=[Blocked(" in found.message


def test_a_form_with_another_gradient_is_found(outcome):
    def compose(self, F, data):
        result = Ramp.compose(self, F, data)
        return F.BlockGrad(result) if self.blocked else result

    found = outcome("blocked forms", variant(compose=compose), samples=SAMPLES)
    assert found.status == "failed"
    assert "gradient of input 0" in found.message


@pytest.mark.parametrize("form", [None, lambda self, inputs, needs_gradient: None])
def test_operators_without_one_are_skipped(outcome, form):
    found = outcome("blocked forms", variant(blocked_form=form), samples=SAMPLES)
    assert found.status == "skipped"
    assert found.message == "its declaration has no blocked_form for any sample"
