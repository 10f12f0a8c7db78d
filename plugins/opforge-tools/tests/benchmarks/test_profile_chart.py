"""The picture of a profile."""

import pytest
from opforge_tools.benchmarks import charts

from opforge import nd, profiler
from opforge.profiler.tables import Row


@pytest.mark.skipif(not charts.can_draw(), reason="pictures need opforge[bench]")
def test_bars_and_a_line_of_time_are_drawn(tmp_path):
    from opforge_tools.benchmarks.profile_chart import draw_profile

    profiler.set_config(filename=str(tmp_path / "profile.json"))
    profiler.set_state("run")
    for _ in range(3):
        nd.zeros((2,))
    profiler.dump()
    rows = [Row("operator", "_zeros", "span", 3, 9e6, 1e6, 3e6, 9e6, 0)]
    for some in (rows, []):
        draw_profile(some, tmp_path / "profile.json", tmp_path / "profile.png")
        assert (tmp_path / "profile.png").read_bytes().startswith(b"\x89PNG")
