"""Names from before MXNet 1.0."""

import pytest

from opforge import nd, profiler


def test_they_warn_and_work(tmp_path):
    trace = tmp_path / "trace.json"
    with pytest.warns(UserWarning, match=r"profiler_set_config\(\) is deprecated"):
        profiler.profiler_set_config("all", str(trace))
    with pytest.warns(UserWarning, match=r"use profiler\.set_state\(\)"):
        profiler.profiler_set_state("run")
    nd.zeros((2,))
    with pytest.warns(UserWarning, match=r"use profiler\.dump\(\)"):
        profiler.dump_profile()
    assert trace.stat().st_size > 0
