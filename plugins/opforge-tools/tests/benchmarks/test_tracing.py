"""The measurement of first calls."""

import pytest
from opforge_tools.benchmarks import reports, tracing


@pytest.mark.plugins
def test_rows_for_each_block():
    rows = tracing.measure(lengths=(4, 40), repeats=2)
    assert [row["operators"] for row in rows] == [5, 4, 40]
    assert all(row["seconds"] > 0 and row["recorded_seconds"] > 0 for row in rows)
    assert rows[2]["recorded_seconds"] > rows[1]["recorded_seconds"]


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
