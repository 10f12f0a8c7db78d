import numpy as np

from opforge import nd
from opforge.op.declaring.custom import CustomOp
from opforge.op.declaring.declaration import OperatorProp


class Arrays(OperatorProp):
    """Behave in another way in a graph."""

    name = "arrays_only"

    def compose(self, F, data):
        return data * (2 if F is nd else 3)


def test_ways(outcome):
    split = [{"inputs": [(2, 4)], "attributes": {"num_outputs": 2}}]
    found = outcome("every way", "split", samples=split)
    assert (found.status, found.samples) == ("passed", 1)


def test_a_graph_that_differs(outcome):
    found = outcome("every way", Arrays, samples=[[(2, 3)]])
    assert found.status == "failed"
    assert found.message.startswith("sample (2, 3)") and "symbol" in found.message


class Remember(CustomOp):
    """Squares; some results of the first call are kept."""

    value = slope = None

    def __init__(self, kept):
        super().__init__()
        self.kept = kept

    def forward(self, is_train, req, in_data, out_data, aux):
        if self.value is None or "value" not in self.kept:
            self.value = in_data[0] ** 2
        self.assign(out_data[0], req[0], self.value)

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        if self.slope is None or "slope" not in self.kept:
            self.slope = 2 * in_data[0]
        self.assign(in_grad[0], req[0], out_grad[0] * self.slope)


def remembering(*kept):
    class Remembering(OperatorProp):
        """Square."""

        name = "remembering"

        def create_operator(self, ctx, shapes, dtypes):
            return Remember(kept)

    return Remembering


def test_values_of_the_first_call_of_a_graph_are_found(outcome):
    samples = [[(2, 3)]]
    assert outcome("repeated graphs", remembering(), samples=samples).status == "passed"
    found = outcome("repeated graphs", remembering("value"), samples=samples)
    assert "one executor with other values: call 2: output 0" in found.message
    found = outcome("repeated graphs", remembering("slope"), samples=samples)
    assert "one executor with other values: call 2: gradient 0" in found.message


def test_equal_values_show_nothing(outcome):
    found = outcome("repeated graphs", remembering(), samples=[[np.ones(3)]])
    assert (found.status, found.samples) == ("skipped", 0)
