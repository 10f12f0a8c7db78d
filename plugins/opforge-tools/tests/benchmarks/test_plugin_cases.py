"""What plugins measure: their cases in opforge and in a peer, and the rows that are shown."""

import json
import shlex
import sys
import types

import pytest
from opforge_tools.benchmarks import plugin_cases

from opforge.plugin_api import OpforgeError, benchmarks

CASES = """
def prepare(mx, folder):
    values = mx.nd.ones((4,))
    return lambda: values + values

def broken(mx, folder):
    raise ValueError("no such thing")

CASES = {
    "addition": {"group": "sums", "target": 0.5, "prepare": prepare, "count": 4, "items": "units"},
    "broken": {"group": "sums", "target": None, "prepare": broken},
}
SHARES = {
    "luck": {"target": 0.5, "measure": lambda mx, folder: 0.25 if mx.nd.ones((1,)) else 1},
    "no luck": {"target": None, "measure": broken},
}
"""
#: Stands for MXNet: an interpreter that alone has a module of this name.
PEER = """
__version__ = "1.9.1"

class nd:
    ones = staticmethod(lambda shape: 1)
    waitall = staticmethod(lambda: None)
"""


@pytest.fixture
def cases(tmp_path):
    path = tmp_path / "cases.py"
    path.write_text(CASES)
    module = types.ModuleType("cases")
    module.__file__ = str(path)
    exec(CASES, vars(module))
    return module


@pytest.fixture
def peer(tmp_path):
    (tmp_path / "modules").mkdir()
    (tmp_path / "modules" / "mxnet.py").write_text(PEER)
    python = tmp_path / "python"
    python.write_text(
        f"#!/bin/sh\nPYTHONPATH={shlex.quote(str(tmp_path / 'modules'))} "
        f'exec {shlex.quote(sys.executable)} "$@"\n'
    )
    python.chmod(0o755)
    return python


def given(*arguments):
    return benchmarks.parser("fx", "Measure.").parse_args(["--rounds", "2", *arguments])


def test_cases_in_turns_with_a_peer(cases, peer, tmp_path, capsys):
    said = []
    arguments = given("--against", "mxnet", "--mxnet-python", str(peer), "--threads", "1")
    report = benchmarks.measure(arguments, cases, tmp_path, said.append)
    assert said == ["addition", "broken", "luck", "no luck"]
    fine, broken = report["rows"]
    assert fine["ratios"]["mxnet"] == fine["opforge"]["median"] / fine["mxnet"]["median"]
    assert fine["items_per_second"] == 4 / fine["opforge"]["median"]
    assert broken["opforge"]["error"] == broken["mxnet"]["error"] == "ValueError: no such thing"
    assert report["machine"]["versions"]["mxnet"] == "1.9.1"
    sheet, shares, last = benchmarks.shown(report, as_json=False)
    assert sheet.columns == [
        "case",
        "opforge",
        "mxnet",
        "ratio to mxnet",
        "target",
        "noise",
        "rate",
    ]
    row = dict(zip(sheet.columns, sheet.rows[0], strict=True))
    assert row["target"] == "0.5" and row["rate"].endswith(" units/s")
    assert any("broken: mxnet failed: ValueError: no such thing" in note for note in sheet.notes)
    assert shares.rows == [
        ["luck", "25.0%", "25.0%", "50%"],
        ["no luck", "failed", "failed", "-"],
    ]
    assert shares.notes[0] == "no luck: opforge failed: ValueError: no such thing"
    assert "mxnet 1.9.1" in last.notes[0]
    assert benchmarks.shown(report, as_json=True) == 0
    assert json.loads(capsys.readouterr().out) == report


def test_opforge_alone_and_some_of_the_cases(cases, tmp_path):
    report = benchmarks.measure(given("--only", "^add"), cases, tmp_path)
    (row,) = report["rows"]
    assert row["ratios"] == {} and report["peers"] == []
    (sheet, _) = benchmarks.shown(report, as_json=False)
    assert sheet.columns == ["case", "opforge", "target", "noise", "rate"]
    assert dict(zip(sheet.columns, sheet.rows[0], strict=True))["target"] == "-"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--only", "("], "not a valid regular expression"),
        (["--only", "nothing"], "matches no case; there are addition, broken, luck, no luck"),
        (["--against", "mxnet", "--mxnet-python", "/no/such"], "does not start"),
        (["--against", "mxnet", "--mxnet-python", "/bin/false"], "/bin/false cannot import mxnet"),
    ],
)
def test_invalid_cases_raise(cases, tmp_path, arguments, message):
    with pytest.raises(OpforgeError, match=message):
        benchmarks.measure(given(*arguments), cases, tmp_path)


def test_plugins_find_it():
    assert benchmarks is plugin_cases
