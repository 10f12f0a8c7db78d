"""Stored exceptions, and the copies that waits raise."""

import pytest

from opforge.native.threads.failures import kept, twin


def _raise(error):
    try:
        raise error
    except type(error) as caught:
        return caught


class _Odd(Exception):
    """One whose constructor takes something else than its `args`."""

    def __init__(self, first, *, second):
        super().__init__(first)
        self.second = second


@pytest.mark.parametrize("error", [ValueError("boom"), KeyError(3), _Odd("a", second="b")])
def test_copy_is_equal_and_not_identical(error):
    stored = kept(_raise(error), _raise, "file.py:7")
    made = [twin(stored) for _ in range(2)]
    assert all(type(one) is type(error) and one.args == error.args for one in made)
    assert made[0] is not error and made[0] is not made[1]
    assert getattr(made[0], "second", None) == getattr(error, "second", None)
    assert made[0].__notes__ == ["raised in the engine task '_raise' pushed at file.py:7"]
    assert made[0].__traceback__ is stored[1]


def test_exception_of_a_wait_inside_a_task_is_stored_as_the_original():
    stored = kept(_raise(ValueError("boom")), _raise, "file.py:7")
    assert kept(twin(stored), print, "other.py:1") is stored
    assert len(stored[0].__notes__) == 1


def test_cause_is_kept():
    error, cause = ValueError("boom"), KeyError("why")
    error.__cause__ = cause
    assert twin(kept(_raise(error), _raise, "file.py:7")).__cause__ is cause
