import numpy as np
import pytest

from opforge import nd, optimizer
from opforge.optimizer.pickled_data import StatesError
from opforge.optimizer.state_structure import expect_states

WEIGHTS = {0: nd.ones((2, 3)), "w": None}
ONE = nd.zeros((2, 3))


class Custom(optimizer.SGD):
    def __init__(self, state):
        super().__init__()
        self.state = state

    def create_state(self, index, weight):
        return self.state


ADAM = optimizer.Adam()


@pytest.mark.parametrize(
    ("made", "state"),
    [
        (ADAM, (ONE, ONE)),
        (optimizer.SGD(), None),
        (optimizer.SGD(momentum=0.5), ONE),
        (Custom({"count": 0, "of": [ONE]}), {"count": 3, "of": []}),
        (Custom(np.zeros(2)), np.ones(2)),
        (Custom(0.5), np.float32(1)),
    ],
)
def test_states_that_fit(made, state):
    expect_states({0: state, "w": 3}, made, WEIGHTS)
    expect_states({7: state}, made, None)


@pytest.mark.parametrize(
    ("made", "state", "message"),
    [
        (ADAM, ONE, r"is an array of shape \(2, 3\).*expects \(an array.*, an array"),
        (ADAM, None, "is None; Adam expects"),
        (ADAM, (ONE,), "is .an array of shape"),
        (ADAM, (ONE, (ONE, None)), "is a tuple of 2 items"),
        (ADAM, (ONE, nd.zeros((3, 2))), r"shape \(3, 2\)"),
        (ADAM, (ONE, ONE.astype("float64")), "type float64"),
        (ADAM, (ONE, ONE.tostype("row_sparse")), "row_sparse"),
        (optimizer.SGD(), ONE, "SGD expects None"),
        (Custom({"a": 1}), {"b": 1}, "is a dict; Custom expects a dict"),
        (Custom([1]), (1,), "expects .a int."),
        (Custom(np.zeros(2)), np.ones(3), "is a ndarray"),
        (Custom(0.5), ONE, "expects a float"),
    ],
)
def test_states_of_other_weights(made, state, message):
    with pytest.raises(StatesError, match=message):
        expect_states({0: state}, made, WEIGHTS)


def test_indices_of_other_weights():
    with pytest.raises(StatesError, match="for the weights 0, 5, expected a subset of 0, w"):
        expect_states({0: None, 5: None}, optimizer.SGD(), WEIGHTS)
    with pytest.raises(StatesError, match=r", 14, 15, \.\.\. \(30\), expected"):
        expect_states(dict.fromkeys(range(30)), optimizer.SGD(), WEIGHTS)
    with pytest.raises(StatesError, match="have a tuple as an index"):
        expect_states({(0, 1): None}, optimizer.SGD(), None)


@pytest.mark.parametrize("state", ["text", b"x", (ONE, "text"), {"a": [object()]}])
def test_data_that_no_optimizer_stores(state):
    with pytest.raises(StatesError, match=r"weight 0 contains a (str|bytes|object)"):
        expect_states({0: state}, ADAM, None)
    expect_states({0: state}, ADAM, None, allow_objects=True)


def test_half_precision_states_are_created_without_warnings():
    half = nd.ones((2, 3), dtype="float16")
    expect_states({0: (half, half)}, ADAM, {0: half})
