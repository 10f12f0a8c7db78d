import pytest

from opforge import test_utils


def test_failures_in_a_row():
    calls = []

    @test_utils.retry(3)
    def third_time_lucky(limit):
        """What it says."""
        calls.append(limit)
        assert len(calls) >= limit

    third_time_lucky(3)
    assert calls == [3, 3, 3]
    assert third_time_lucky.__doc__ == "What it says."
    calls.clear()
    with pytest.raises(AssertionError):
        third_time_lucky(4)


def test_other_errors_are_final():
    calls = []

    @test_utils.retry(2)
    def broken():
        calls.append(1)
        raise ValueError

    with pytest.raises(ValueError):
        broken()
    assert len(calls) == 1
    with pytest.raises(AssertionError, match="at least 1"):
        test_utils.retry(0)
