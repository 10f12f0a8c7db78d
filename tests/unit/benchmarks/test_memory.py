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
    # Input, output, and the NumPy values that the input is made from, beyond those of a single row.
    assert 2 * 63 * ROW <= found["step"] <= 4 * 64 * ROW
    assert found["step"] < found["beyond_import"] == found["peak"] - found["imported"]


def test_rows_of_libraries_and_failures(monkeypatch):
    monkeypatch.setattr(memory, "NETWORKS", {"double, batch 1": (2,)})
    monkeypatch.setattr(memory, "find", lambda name: DOUBLE)
    rows = memory.compare_peaks(["opforge", "numpy"], 1)
    assert [row["name"] for row in rows] == ["double, batch 2", "double, batch 2, hybridized"]
    for row in rows:
        assert row["opforge"]["step"] > 0
        assert "error" in row["numpy"]


def test_every_network_has_its_hybridized_case():
    for name in memory.NETWORKS:
        for case in (memory.find(name), memory.find(f"{name}, hybridized")):
            assert case.sizes == {"batch": int(name.rpartition(" ")[2])}


def test_an_unknown_field_of_the_status_is_an_error():
    with pytest.raises(OSError, match="NoSuchField"):
        memory._status("NoSuchField")
