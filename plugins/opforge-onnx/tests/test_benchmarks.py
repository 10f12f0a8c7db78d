"""Tests of ``opforge bench engines``: libraries compute the same; the command prints figures."""

import json

import numpy as np
import onnxruntime
import pytest
from opforge_onnx.benchmarks import cases, command

import opforge


@pytest.mark.parametrize("name", ["dense, 16x256x256", "squeezenet1.1, 1 of 224x224"])
def test_cases_run_in_both_libraries(name, tmp_path):
    want = cases.CASES[name]["prepare"](opforge, tmp_path)().asnumpy()
    (found,) = cases.CASES[name]["prepare"](onnxruntime, tmp_path)()
    np.testing.assert_allclose(found, want, rtol=1e-4, atol=1e-4 * np.abs(want).max())


def test_names_of_files_differ():
    assert len({cases.file_of(name) for name in cases.CASES}) == len(cases.CASES)


def test_command_compares_with_onnx_runtime(capsys):
    arguments = ["--only", "256x64x64", "--against", "onnxruntime", "--rounds", "1", "--json"]
    assert command.main(arguments) == 0
    (row,) = json.loads(capsys.readouterr().out)["rows"]
    assert row["name"] == "dense, 256x64x64" and row["target"] == 1.05
    assert row["opforge"]["median"] > 0 and row["ratios"]["onnxruntime"] > 0


def test_command_returns_sheets(capsys):
    (sheet, *_) = command.main(["--only", "16x256x256", "--rounds", "1"])
    assert sheet.rows[0][0] == "dense, 16x256x256"
    assert capsys.readouterr().out == ""
