"""Peak memory: what is taken off, and what a library that fails leaves."""

import pytest

from opforge.benchmarks import memory
from opforge.benchmarks.case import Array, Case
from opforge.benchmarks.processes import Process

DOUBLE = Case(
    "double",
    "group",
    opforge="x + x",
    sizes={"batch": 1},
    arrays={"x": Array(("batch", "2 ** 18"))},
)
ROW = 2**20  # bytes of one row


def test_the_peak_is_input_and_output_of_the_large_batch():
    with Process("opforge", 1) as process:
        found = process.peak(DOUBLE.resized(batch=64), 1)
    # Input, output, and the NumPy values that the input is made from.
    assert 2 * 64 * ROW <= found["step"] <= 4 * 64 * ROW
    assert found["step"] < found["beyond_import"] == found["peak"] - found["imported"]


def test_rows_of_libraries_and_failures(monkeypatch):
    monkeypatch.setattr(memory, "BATCHES", (2,))
    monkeypatch.setattr(memory, "find", lambda name: DOUBLE)
    rows = memory.compare_peaks(["opforge", "numpy"], 1)
    assert [row["name"].rpartition("batch ")[2] for row in rows] == ["2", "2, hybridized"]
    for row in rows:
        assert row["opforge"]["step"] > 0
        assert "error" in row["numpy"]


def test_an_unknown_field_of_the_status_is_an_error():
    with pytest.raises(OSError, match="NoSuchField"):
        memory._status("NoSuchField")
