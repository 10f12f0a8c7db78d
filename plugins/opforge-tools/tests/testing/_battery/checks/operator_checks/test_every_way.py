from opforge import nd
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
