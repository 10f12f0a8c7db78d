import numpy as np

from opforge.op.declaring.declaration import OperatorProp


class Hides(OperatorProp):
    """Give zero for nan in float32 alone."""

    name = "hides_nan"

    def compose(self, F, data):
        if np.dtype(data.dtype) == np.float32:
            return F.where(data == data, data, F.zeros_like(data))
        return data * 1


def test_nan(outcome):
    assert outcome("not a number", "exp").samples == 5
    found = outcome("not a number", Hides)
    assert "makes 0 elements of output 0 NaN in float32, expected 1" in found.message
    found = outcome("not a number", "exp", reference=lambda x: np.nan_to_num(np.exp(x)))
    assert found.status == "failed"
    assert outcome("not a number", "exp", samples=[[(0, 2)]]).status == "skipped"


def test_operators_may_reject_nan(outcome):
    samples = [[(4, 3), np.array([[0.0, 2.0]])]]
    found = outcome("not a number", "gather_nd", samples=samples)
    assert (found.status, found.samples) == ("passed", 1)
