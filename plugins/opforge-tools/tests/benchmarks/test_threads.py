"""Scaling with threads."""

import pytest
from opforge_tools.benchmarks import threads
from opforge_tools.benchmarks.case import Case
from opforge_tools.benchmarks.cases import find
from opforge_tools.benchmarks.limits import Limits

LIMITS = Limits(1e10, 1e11)


def test_rows_have_both_times_and_the_efficiency(monkeypatch):
    monkeypatch.setattr(threads, "_ROUNDS", 1)
    cases = [find("sum, 1e7").at_most(10**5), Case("broken", "group", opforge="nd.ones()")]
    said = []
    row, broken = threads.scale(cases, 2, LIMITS, said.append)
    assert said == ["sum, 1e7", "broken"]
    assert row["speedup"] == pytest.approx(row["one"] / row["several"])
    assert row["share"] == pytest.approx(4e5 / row["several"] / 1e10)
    assert "TypeError" in broken["error"]


def test_a_case_without_its_plugin_is_skipped():
    missing = Case("missing", "group", opforge="nd.no_such_operator(1)")
    (row,) = threads.scale([missing], 1, LIMITS)
    assert "no_such_operator" in row["skipped"]


def test_every_scaled_case_is_large():
    for case in threads.SCALED:
        assert case.amount("nbytes") >= 2**24 or case.amount("flops") >= 2**24
