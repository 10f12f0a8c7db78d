import numpy as np

from opforge.op.declaring.declaration import OperatorProp


class Bent(OperatorProp):
    """Square, with 1 in the place of 0."""

    name = "bent_at_zero"

    def compose(self, F, data):
        return F.where(data == 0, F.ones_like(data), data * data)


class Flat(OperatorProp):
    """Square plus itself, with no gradient at 0."""

    name = "flat_at_zero"

    def compose(self, F, data):
        zero = data == 0
        return data * data + data * (1 - zero) + F.BlockGrad(data) * zero


def test_zero_and_infinity(outcome):
    assert outcome("special values", "tanh", reference=np.tanh).status == "passed"
    found = outcome("special values", Bent, reference=np.square)
    assert "with 0 in input 0 element (0, 0) of output 0 is 1, expected 0" in found.message
    found = outcome("special values", "arctan", reference=np.sin)
    assert found.status == "failed"


def test_poles_and_kinks_have_no_gradient_to_compare(outcome):
    for name in ("reciprocal", "cbrt", "abs", "sign"):
        assert outcome("special values", name).status == "passed", name


def test_a_gradient_that_is_wrong_at_zero(outcome):
    found = outcome("special values", Flat)
    assert "at 0 the first element of input 0 has gradient" in found.message


def test_a_reference_that_is_not_defined_there_decides_nothing(outcome):
    def sinc(x):
        return np.where(x == 0, np.nan, x)

    assert outcome("special values", Bent, reference=sinc).status == "failed"
    never = outcome("special values", "identity", reference=sinc)
    assert never.status == "passed"
