"""Tests of ``opforge bench detection``: each case runs, and the command prints figures."""

import json
from pathlib import Path

import pytest
from opforge_detection.benchmarks import cases, command

import opforge
from opforge import nd
from opforge.base.errors import OperatorNotFoundError


@pytest.mark.parametrize("name", cases.CASES)
def test_cases_run(name):
    try:
        cases.CASES[name]["prepare"](opforge, Path())()
    except OperatorNotFoundError:
        assert "DeformableConvolution" in name  # requires opforge-convolution
    nd.waitall()


def test_anchors_match_ssd_300():
    assert cases._ssd_anchors(opforge).shape == (1, cases._ANCHORS, 4)


def test_command_prints_json(capsys):
    assert command.main(["--only", "MultiBoxTarget", "--rounds", "1", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["rows"]
    assert row["name"] == "MultiBoxTarget, 8 boxes an image" and row["target"] == 0.5
    assert row["opforge"]["median"] > 0


def test_command_returns_sheets(capsys):
    (sheet, *_) = command.main(["--only", "box_nms, one", "--rounds", "1"])
    assert sheet.rows[0][0] == "box_nms, one image, all boxes"
    assert capsys.readouterr().out == ""
