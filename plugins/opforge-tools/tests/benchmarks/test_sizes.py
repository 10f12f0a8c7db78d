"""Sweeps over sizes: the sizes, and the worst step between neighbours."""

import pytest
from opforge_tools.benchmarks.sizes import SWEEPS, counts, sweep, worst_step


def test_sizes_are_evenly_spaced():
    assert counts(10**4, 1) == [1, 10, 100, 1000, 10**4]
    assert counts()[-1] == 10**8


@pytest.mark.parametrize("each", SWEEPS, ids=lambda each: each.name)
@pytest.mark.parametrize("count", [1, 10, 1000, 10**6])
def test_cases_have_as_many_elements_as_asked(each, count):
    case = each.at(count)
    name = "x" if "x" in case.arrays else "a"
    assert case.inputs()[name].size == pytest.approx(count, rel=0.05)


def test_the_worst_step_is_the_largest_growth():
    points = [{"elements": n, "per_element": t} for n, t in ((1, 8), (10, 2), (100, 3), (1000, 3))]
    assert worst_step(points) == (1.5, 100)


def test_a_sweep_measures_each_size():
    said = []
    (row,) = sweep(SWEEPS[:1], [1, 1000], "opforge", 1, said.append)
    assert said == ["opforge: add, 1 elements", "opforge: add, 1000 elements"]
    assert [point["elements"] for point in row["points"]] == [1, 1000]
    assert row["points"][1]["per_element"] < row["points"][0]["per_element"]
    assert row["worst_at"] == 1000
