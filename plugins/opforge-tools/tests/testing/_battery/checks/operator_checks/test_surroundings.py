import os

import numpy as np
import pytest

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
