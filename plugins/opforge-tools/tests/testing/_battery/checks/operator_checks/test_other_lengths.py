import numpy as np
import pytest

from opforge.op.declaring.custom import CustomOp
from opforge.op.declaring.declaration import OperatorProp


class FirstRows(OperatorProp):
    """Add as many rows of `y` as `x` has, however many there are."""

    name = "first_rows"
    arguments = ("x", "y")

    def infer_shape(self, in_shape):
        return in_shape, [in_shape[0]], []

    def create_operator(self, ctx, shapes, dtypes):
        return _FirstRows()


class _FirstRows(CustomOp):
    def forward(self, is_train, req, in_data, out_data, aux):
        x, y = (item.asnumpy() for item in in_data)
        self.assign(out_data[0], req[0], x + np.resize(y, x.shape))


class OfOneShape(FirstRows):
    """Refuse what does not fit."""

    def infer_shape(self, in_shape):
        first = in_shape[0] or in_shape[1]
        return [first, first], [first], []


class Composed(OfOneShape):
    """Broadcast arrays, which come without inference."""

    def compose(self, F, x, y):
        return F.broadcast_add(x, y)


def equal_shapes(x, y):
    if x.shape != y.shape:
        raise ValueError("no")
    return x + y


SAMPLES = [[(3, 2), (3, 2)]]


def test_operators_of_one_shape_pass(outcome):
    found = outcome("other lengths", OfOneShape, samples=SAMPLES, reference=np.add)
    assert (found.status, found.samples) == ("passed", 16)


def test_a_doubt_is_a_warning(outcome):
    found = outcome("other lengths", FirstRows, samples=SAMPLES, reference=np.add)
    assert found.status == "warned"
    assert "output 0 has shape (1, 2); the reference gives (3, 2)" in found.message
    assert "infer_shape" in found.message
    found = outcome("other lengths", FirstRows, samples=SAMPLES, reference=equal_shapes)
    assert "accepts inputs that the reference rejects: no" in found.message
    assert outcome("other lengths", FirstRows, samples=SAMPLES).status == "passed"


def test_arrays_that_inference_rejects_must_raise(outcome):
    found = outcome("other lengths", Composed, samples=SAMPLES)
    assert found.status == "failed"
    assert "accepts arrays that its inference" in found.message


@pytest.mark.parametrize("check", ["other lengths", "memory bounds"])
def test_where_they_do_not_apply(outcome, check):
    assert outcome(check, "tanh").status == "skipped"
