"""Peak memory: what is taken off, and what a library that fails leaves."""

import pytest
from opforge_tools.benchmarks import memory
from opforge_tools.benchmarks.case import Array, Case
from opforge_tools.benchmarks.memory import Peaks
from opforge_tools.benchmarks.processes import Process

DOUBLE = Case(
    "double of 1",
    "group",
    opforge="x + x",
    sizes={"batch": 1},
    arrays={"x": Array(("batch", "2 ** 18"))},
)
ROW = 2**20  # bytes of one row


def test_the_peak_is_input_and_output_of_the_large_batch():
    with Process("opforge", 1) as process:
        found = process.peak(DOUBLE.resized(batch=64), "batch", 1)
    # Input, output, and the NumPy values that the input is made from, beyond those of a single row.
    assert 2 * 63 * ROW <= found["step"] <= 4 * 64 * ROW
    assert found["step"] < found["beyond_import"] == found["peak"] - found["imported"]


def test_rows_of_libraries_and_failures(monkeypatch):
    monkeypatch.setattr(memory, "PEAKS", (Peaks("double of {}", "batch", (1, 2)),))
    monkeypatch.setattr(memory, "CASES", (DOUBLE,))
    rows = memory.compare_peaks(["opforge", "numpy"], 1)
    assert [row["name"] for row in rows] == ["double of 1", "double of 2"]
    for row in rows:
        assert row["opforge"]["step"] > 0
        assert "error" in row["numpy"]


@pytest.mark.parametrize("peaks", memory.PEAKS, ids=lambda peaks: peaks.name)
@pytest.mark.parametrize("library", ["opforge", "torch"])
def test_each_is_a_case_that_computes_gradients(peaks, library):
    for value in peaks.values:
        case = peaks.at(value, library)
        assert case.sizes[peaks.size] == value
        assert case.records and library in case.libraries


def test_peers_run_eagerly():
    peaks = Peaks("MLP 784-128-64-10, training step, batch {}, hybridized", "batch", (64,))
    assert peaks.at(64, "opforge").program == "compiled_perceptron"
    assert peaks.at(64, "torch").program == "perceptron"


def test_an_unknown_field_of_the_status_is_an_error():
    with pytest.raises(OSError, match="NoSuchField"):
        memory._status("NoSuchField")
