"""The description of the machine."""

import json

from opforge_tools.benchmarks.machine import default_threads, describe
from opforge_tools.benchmarks.reports import machine_line

import opforge


def test_the_description_is_complete_and_json():
    found = json.loads(json.dumps(describe(("opforge", "numpy", "no-such-library"), 2)))
    assert found["processor"]
    assert found["memory_gib"] > 0
    assert found["threads"] == 2
    assert found["instruction_set"]
    assert found["versions"]["opforge"]
    assert found["versions"]["no-such-library"] == ""


def test_machine_line_reports_openblas_overrides(monkeypatch):
    monkeypatch.delenv("OPENBLAS_L2_SIZE", raising=False)
    monkeypatch.delenv("OPENBLAS_CORETYPE", raising=False)
    assert "OpenBLAS" not in machine_line(describe(("opforge",), 2))
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Haswell")
    line = machine_line(describe(("opforge",), 2))
    assert line.endswith("The environment slows OpenBLAS down: unset OPENBLAS_CORETYPE=Haswell")


def test_threads_are_those_that_opforge_uses():
    before = opforge.get_num_threads()
    try:
        opforge.set_num_threads(3)
        assert default_threads() == 3
    finally:
        opforge.set_num_threads(before)
