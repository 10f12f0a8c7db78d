"""``opforge bench mpi``: measurements of ranks, and their tables."""

import json

import pytest
from opforge_mpi.benchmarks import command

from opforge.plugin_api import OpforgeError

_MEASURE = """
from opforge_mpi.benchmarks.networks import build
from opforge_mpi.benchmarks.transport import measure_overlap, measure_sums
from opforge_mpi.collectives.session import world

say(sums=measure_sums(world(), 4096), steps=build("perceptron").steps(1, 1))
say(apart=build("perceptron").steps(2, 1, exchanges=False))
say(overlap=measure_overlap(world(), count=2))
"""
_TRANSPORT = {
    "library": "MPICH",
    "ranks": 2,
    "hosts": ["here"],
    "shares_memory": False,
    "sums": [{"bytes": 4096, "messages": 1e-3, "library": 1e-4}],
    "overlap": {"backward": 0.1, "update": 0.02, "sums": 0.01, "left": 0.002, "hidden": 0.8},
}


@pytest.mark.parametrize("count", [1, 2])
def test_measurements(ranks, count):
    for said in ranks(count, _MEASURE).said:
        paths = {"bytes", "messages", "library", *(["shared"] if count > 1 else [])}
        assert said["sums"].keys() == paths
        assert all(value > 0 for value in said["sums"].values())
        assert len(said["steps"]) == 1 and said["steps"][0] > 0
        assert len(said["apart"]) == 2 and min(said["apart"]) > 0
        assert said["overlap"].keys() == _TRANSPORT["overlap"].keys()


def test_tables_of_transport(monkeypatch, capsys):
    monkeypatch.setattr(command, "_on_ranks", lambda count, program, folder: _TRANSPORT)
    sums, overlap = command.main(["-n", "2"])
    assert sums.columns == ["bytes", "messages", "GB/s", "library", "GB/s"]
    assert sums.rows == [["4,096", "1.00 ms", "0.004", "100 µs", "0.041"]]
    assert sums.notes == ["MPICH; 2 ranks on here"]
    assert overlap.columns == ["", "backward", "update", "sums", "left", "hidden"]
    assert overlap.rows == [["time", "100 ms", "20.0 ms", "10.0 ms", "2.00 ms", "80%"]]
    assert command.main(["--json"]) == 0
    assert json.loads(capsys.readouterr().out) == _TRANSPORT


def test_tables_of_networks(monkeypatch, capsys):
    seconds = {1: [0.2, 0.1], 2: [0.125, 0.2]}
    monkeypatch.setattr(
        command,
        "_on_ranks",
        lambda count, program, folder: [0.16] if "meeting" in program else seconds[count],
    )
    monkeypatch.setattr(command, "_apart", lambda count, program, folder: [[0.1], [0.1]])
    monkeypatch.setattr(command, "_on_torch", lambda python, name, rounds, count, folder: [0.5])
    arguments = ["--networks", "resnet", "--against", "torch", "--repeats", "1"]
    (sheet,) = command.main(arguments)
    assert sheet.rows == [
        ["resnet", "opforge", "100 ms", "125 ms", "162 ms", "1.60"],
        ["resnet", "torch", "500 ms", "500 ms", "500 ms", "2.00"],
    ]
    assert "resnet: speedup 2.00 without any communication" in sheet.notes[0]
    assert "; 1.25 if ranks only wait" in sheet.notes[0]
    assert command.main(["--networks", "--json", "--repeats", "1"]) == 0
    rows = json.loads(capsys.readouterr().out)["networks"]
    assert [row["network"] for row in rows] == ["perceptron", "resnet", "language_model"]


def test_failures_are_reported(monkeypatch):
    monkeypatch.setattr(command, "launcher", lambda: None)
    with pytest.raises(OpforgeError, match="mpiexec not found"):
        command.main([])
    monkeypatch.setattr(command, "launcher", lambda: "false")
    with pytest.raises(OpforgeError, match="ended with status 1"):
        command.main([])
