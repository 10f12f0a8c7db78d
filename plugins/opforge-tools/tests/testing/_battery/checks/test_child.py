import os
import signal

import pytest
from opforge_tools.testing._battery.checks.child import run_in_child

from opforge.base.errors import ShapeError


def test_a_child_says_and_returns():
    def work(say):
        say("first")
        say({"second": 2})
        return os.getpid()

    ended = run_in_child(work)
    assert (ended.fate, ended.said) == ("", ["first", {"second": 2}])
    assert ended.value != os.getpid()


def test_output_before_a_crash_is_kept():
    def work(say):
        say("before")
        os.kill(os.getpid(), signal.SIGSEGV)
        say("after")

    ended = run_in_child(work)
    assert (ended.fate, ended.said) == ("ended the process by SIGSEGV", ["before"])
    assert run_in_child(lambda say: os._exit(3)).fate == "ended the process with status 3"


def test_errors_are_raised_here():
    def raise_shape_error(say):
        raise ShapeError("no")

    class Local(Exception):
        """Cannot be sent, as nobody finds its class."""

    def raise_local(say):
        raise Local("why")

    with pytest.raises(ShapeError, match="no"):
        run_in_child(raise_shape_error)
    with pytest.raises(RuntimeError, match="Local: why"):
        run_in_child(raise_local)


def test_one_that_hangs_is_ended():
    ended = run_in_child(lambda say: signal.pause(), silence=0.1)
    assert ended.fate == "did not return within 0.1 s"
