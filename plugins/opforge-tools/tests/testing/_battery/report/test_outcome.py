from dataclasses import FrozenInstanceError

import pytest

from opforge.testing import Outcome


def test_an_outcome_says_where_only_if_that_is_known():
    outcome = Outcome("forward", "passed", 4)
    assert (outcome.message, outcome.where, outcome.seconds) == ("", "", 0.0)


def test_outcomes_are_immutable():
    with pytest.raises(FrozenInstanceError):
        Outcome("forward", "failed").status = "passed"
