import os
import random
import signal
import warnings

import numpy as np
import pytest

import opforge as mx
from opforge import autograd
from opforge.op.declaring.declaration import OperatorProp


def disturbing(disturb):
    class Disturbs(OperatorProp):
        """Add one."""

        name = "disturbs"

        def compose(self, F, data):
            disturb()
            return data + 1

    return Disturbs


def test_operators_without_side_effects_pass(outcome):
    assert outcome("surroundings", disturbing(lambda: None)).samples == 20


def test_the_environment_is_named_and_restored(outcome):
    found = outcome("surroundings", disturbing(lambda: os.environ.update(DISTURBED="1")))
    assert found.message.endswith("a call changes os.environ: DISTURBED")
    assert "DISTURBED" not in os.environ


def test_the_error_state_is_named_and_restored(outcome):
    before = np.geterr()
    found = outcome("surroundings", disturbing(lambda: np.seterr(over="raise")))
    assert "NumPy's error state (numpy.seterr): over" in found.message
    assert np.geterr() == before


def test_files_that_stay_open_are_counted(outcome):
    kept = []
    if not os.path.isdir("/proc/self/fd"):
        pytest.skip("open files are counted in /proc, which only Linux has")
    opening = disturbing(lambda: kept.append(os.open(os.devnull, os.O_RDONLY)))
    found = outcome("surroundings", opening)
    for descriptor in kept:
        os.close(descriptor)
    assert "files open" in found.message


@pytest.mark.parametrize(
    ("disturb", "text"),
    [
        (lambda: mx.random.seed(3), "a call changes the random numbers of opforge"),
        (lambda: np.random.seed(3), "a call changes the random numbers of NumPy"),
        (lambda: random.seed(3), "a call changes the random numbers of Python"),
        (lambda: warnings.simplefilter("ignore"), "a call changes the filters of warnings"),
        (lambda: autograd.set_training(True), "the mode of autograd in predict_mode()"),
        (lambda: print("computing"), "a call prints 'computing'"),
        (lambda: os.write(1, b"computing\n"), "a call prints 'computing'"),
    ],
)
def test_effects_on_the_program_are_named(outcome, disturb, text):
    found = outcome("surroundings", disturbing(disturb))
    assert found.status == "failed" and text in found.message


def test_the_signal_handlers_are_named_and_restored(outcome):
    before = signal.getsignal(signal.SIGINT)
    ignoring = disturbing(lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
    found = outcome("surroundings", ignoring)
    assert "the signal handlers: SIGINT" in found.message
    assert signal.getsignal(signal.SIGINT) == before


def test_random_numbers_may_be_drawn(outcome):
    def draw():
        np.random.uniform()
        random.random()
        mx.nd.random.uniform()

    found = outcome("surroundings", disturbing(draw))
    assert found.status == "passed", found


def test_filters_may_be_set_for_a_part_of_the_call(outcome):
    def ignore():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")

    assert outcome("surroundings", disturbing(ignore)).status == "passed"
