"""Tests of ``opforge bench training``: each case runs, and the command prints figures."""

import json

import pytest
from opforge_estimator.benchmarks import cases, command

import opforge


@pytest.fixture(autouse=True)
def few_images(monkeypatch):
    monkeypatch.setattr(cases, "COUNT", 128)
    monkeypatch.setattr(cases, "_EPOCHS", 1)


@pytest.mark.parametrize("name", cases.CASES)
def test_cases_run(name, tmp_path):
    if "TensorBoard" in name:
        pytest.importorskip("tensorboard", reason="an optional package")
    cases.CASES[name]["prepare"](opforge, tmp_path)()


def test_shares_are_added_times(tmp_path, monkeypatch):
    seconds = iter([9, 9, 4, 5])  # the first epochs compile
    monkeypatch.setattr(cases, "_time", lambda run: next(seconds))
    share = cases.SHARES["Estimator, added to the time of the loop"]
    assert share["measure"](opforge, tmp_path) == pytest.approx(0.25)


def test_command_prints_json(capsys):
    assert command.main(["--only", "LeNet, loop", "--rounds", "1", "--json"]) == 0
    row, *_ = json.loads(capsys.readouterr().out)["rows"]
    assert row["name"] == "epoch of LeNet, loop"
    assert row["opforge"]["median"] > 0
