"""Peak memory of a training step."""

import pytest

from opforge.benchmarks import memory
from opforge.benchmarks.cases import find
from opforge.benchmarks.processes import Process

STEP = find("MLP 784-128-64-10, training step, batch 64")


def test_a_larger_batch_needs_more():
    with Process("opforge", 1) as process:
        small = process.peak(STEP.resized(batch=64), 1)
    with Process("opforge", 1) as process:
        large = process.peak(STEP.resized(batch=4096), 1)
    # The batch alone: 4096 rows of 784 float32.
    assert large["step"] - small["step"] > 10 * 2**20
    assert 0 < large["step"] < large["beyond_import"] < large["peak"]


def test_rows_of_libraries_and_failures(monkeypatch):
    monkeypatch.setattr(memory, "BATCHES", (2,))
    (row,) = memory.compare_peaks(["opforge", "numpy"], 1)
    assert row["name"].endswith("batch 2")
    assert row["opforge"]["step"] >= 0
    assert "error" in row["numpy"]


def test_an_unknown_field_of_the_status_is_an_error():
    with pytest.raises(OSError, match="NoSuchField"):
        memory._status("NoSuchField")
