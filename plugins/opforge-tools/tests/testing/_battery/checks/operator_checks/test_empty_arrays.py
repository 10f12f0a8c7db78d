import pytest

from opforge.op.declaring.declaration import OperatorProp
from opforge.plugin_api import ShapeError


class Mean(OperatorProp):
    """Divide by the number of rows."""

    name = "mean_of_battery"

    def compose(self, F, data):
        return data * (1 / data.shape[0])


class Rejects(Mean):
    """Say what is wrong with an array without rows."""

    name = "refuses_empty"

    def compose(self, F, data):
        if not data.shape[0]:
            raise ShapeError("operator 'refuses_empty': data has no rows")
        return super().compose(F, data)


def test_results(outcome):
    assert outcome("empty arrays", "exp").samples == 5
    found = outcome("empty arrays", Mean)
    assert found.status == "failed" and "ZeroDivisionError" in found.message
    found = outcome("empty arrays", Rejects)
    assert found.status == "skipped" and "data has no rows" in found.message


@pytest.mark.parametrize("name", ["elemwise_add", "FullyConnected"])
def test_several_inputs(outcome, name):
    assert outcome("empty arrays", name).status == "passed"
