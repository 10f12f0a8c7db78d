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


class Rounds(OperatorProp):
    """Add one to whole numbers of 32 bits."""

    name = "rounds"

    def compose(self, F, data):
        return data + 1 if str(np.dtype(data.dtype)) == "int32" else F.identity(data)


class Halves(OperatorProp):
    """Divide by two, and cut off what is between whole numbers."""

    name = "halves"

    def compose(self, F, data):
        return F.cast(F.cast(data, dtype="float64") / 2, dtype=data.dtype)


class Picky(OperatorProp):
    """Take float32 and float64."""

    name = "picky"

    def infer_type(self, in_type):
        if in_type[0] not in (None, *map(np.dtype, ("float32", "float64"))):
            raise DTypeError("operator 'picky': give it float32 or float64")
        return super().infer_type(in_type)

    def compose(self, F, data):
        return data * 2


@pytest.mark.parametrize(
    ("check", "faulty", "text"),
    [
        ("element types", Widens, "has dtype float64"),
        ("element types", Rounds, "dtype int32: element (0, 0) of output 0 is 1, expected 0"),
        ("forward", Overflows, "inf"),
    ],
)
def test_faults(outcome, check, faulty, text):
    found = outcome(check, faulty)
    assert found.status == "failed" and text in found.message


def test_fractions_may_be_cut_off(outcome):
    assert outcome("element types", Halves).status == "passed"


def test_operators_may_reject_types(outcome):
    assert outcome("element types", Picky).samples == 2
    assert outcome("element types", "abs").samples == 7
