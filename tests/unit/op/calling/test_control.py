import numpy as np
import pytest

from opforge import nd
from opforge.op.calling.control import iteration_limit, results_and_states


@pytest.mark.parametrize("given", [7, "7", 7.0, np.int64(7), nd.array([7])])
def test_the_number_of_turns_may_come_in_many_forms(given):
    assert iteration_limit(given) == 7


@pytest.mark.parametrize(
    ("given", "text"),
    [(None, "should be specified"), ("x", "Cannot convert max_iteration"), (0, "a number from 1")],
)
def test_invalid_iteration_limits_are_rejected(given, text):
    with pytest.raises(ValueError, match=text):
        iteration_limit(given)


def test_a_body_returns_two_values():
    assert results_and_states([1, 2], "body") == (1, 2)


@pytest.mark.parametrize("answer", [None, (1,), (1, 2, 3), 5])
def test_a_body_that_does_not_is_named(answer):
    with pytest.raises(ValueError, match=r"my body must return \(results, states\)"):
        results_and_states(answer, "my body")
