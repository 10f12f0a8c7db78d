"""Names from before MXNet 1.0."""

import os

import pytest

from opforge import nd, profiler


def test_they_warn_and_work():
    with pytest.warns(UserWarning, match=r"profiler_set_config\(\) is deprecated"):
        profiler.profiler_set_config("all", "old.json")
    with pytest.warns(UserWarning, match=r"use profiler\.set_state\(\)"):
        profiler.profiler_set_state("run")
    nd.zeros((2,))
    with pytest.warns(UserWarning, match=r"use profiler\.dump\(\)"):
        profiler.dump_profile()
    assert os.path.getsize("old.json") > 0
