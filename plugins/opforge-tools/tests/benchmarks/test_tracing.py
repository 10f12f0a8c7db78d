"""The measurement of first calls."""

import itertools

import pytest
from opforge_tools.benchmarks import reports, tracing


@pytest.mark.plugins
def test_rows_for_each_block(monkeypatch):
    """Rows have the fastest first call minus the fastest second one."""
    seconds = itertools.cycle([5.0, 1.0, 4.0, 2.0])
    time_call = tracing._time_call

    def timed(block, x, is_recorded):
        assert time_call(block, x, is_recorded) > 0
        return next(seconds)

    monkeypatch.setattr(tracing, "_time_call", timed)
    rows = tracing.measure(lengths=(4, 40), repeats=2)
    assert [row["operators"] for row in rows] == [5, 4, 40]
    assert all(row["seconds"] == row["recorded_seconds"] == 3 for row in rows)


def test_the_table():
    machine = {
        "processor": "P",
        "caches": [],
        "cores": 2,
        "memory_gib": 8,
        "system": "S",
        "python": "3",
        "threads": 2,
        "instruction_set": "i",
        "versions": {"opforge": "0"},
    }
    row = {"name": "chain", "operators": 100, "seconds": 0.01, "recorded_seconds": 0.02}
    (sheet,) = reports.sheets({"kind": "tracing", "machine": machine, "rows": [row]})
    assert sheet.rows == [["chain", "10.0 ms", "20.0 ms", "200 µs"]]
