"""Steps by themselves; what compiled graphs do with them is tested with these."""

import pytest

from opforge import nd
from opforge.native.graph.program import Program
from opforge.native.graph.steps import OperatorBackwardStep, Step, StoreStep


def run(step, *arrays):
    """Run a step whose last array is its output."""
    *inputs, output = range(len(arrays))
    Program([(step, "s", inputs, [output])], arrays).run(0, 1, False)
    return arrays[output].asnumpy().tolist()


def test_a_step_of_the_base_class_says_that_it_does_nothing():
    with pytest.raises(NotImplementedError, match="Step"):
        Program([(Step(), "s", [], [])], []).run(0, 1, False)


@pytest.mark.parametrize(("req", "want"), [("write", [1, 2]), ("add", [11, 22])])
def test_an_array_is_delivered(req, want):
    assert run(StoreStep(req), nd.array([1, 2]), nd.array([10, 20])) == want


def test_a_backward_is_that_of_a_step():
    with pytest.raises(TypeError, match="forward"):
        OperatorBackwardStep(None, ["write"])
