import numpy as np
import pytest

from opforge.op.declaring.declaration import OperatorProp
from opforge.plugin_api import DTypeError


class Widens(OperatorProp):
    """Compute in float64, and say otherwise."""

    name = "widens"

    def compose(self, F, data):
        return F.cast(data, dtype="float64")


class Overflows(OperatorProp):
    """Overflow in float16."""

    name = "overflows"

    def compose(self, F, data):
        return F.sqrt(F.square(data * 1000))


class Picky(OperatorProp):
    """Take float32 and float64."""

    name = "picky"

    def infer_type(self, in_type):
        if in_type[0] not in (None, *map(np.dtype, ("float32", "float64"))):
            raise DTypeError("operator 'picky': give it float32 or float64")
        return super().infer_type(in_type)

    def compose(self, F, data):
        return data * 2


@pytest.mark.parametrize(("faulty", "text"), [(Widens, "has dtype float64"), (Overflows, "inf")])
def test_faults(outcome, faulty, text):
    found = outcome("element types", faulty)
    assert found.status == "failed" and text in found.message


def test_types_may_be_refused(outcome):
    assert outcome("element types", Picky).samples == 2
    assert outcome("element types", "abs").samples == 7
