import numpy as np
import pytest

from opforge.op.declaring.declaration import OperatorProp


class Single(OperatorProp):
    """Compute in float32 whatever it is given."""

    name = "single"

    def compose(self, F, data):
        return F.cast(F.exp(F.cast(data, dtype="float32")), dtype=data.dtype)


def test_the_reference_decides(outcome):
    assert outcome("forward", "exp", reference=np.exp).samples == 15
    found = outcome("forward", "exp", reference=np.expm1)
    assert found.status == "failed" and "dtype float32, output 0" in found.message


def test_without_a_reference_single_is_compared_with_double(outcome):
    assert outcome("forward", "exp").samples == 10
    assert outcome("forward", Single, reference=np.exp).status == "failed"


@pytest.mark.parametrize(
    ("reference", "text"),
    [(lambda x: (x, x), "the reference gives 2"), (lambda x: x[:1], "expected (1, 3)")],
)
def test_another_number_or_shape(outcome, reference, text):
    found = outcome("forward", "tanh", reference=reference, samples=[[(2, 3)]])
    assert text in found.message
