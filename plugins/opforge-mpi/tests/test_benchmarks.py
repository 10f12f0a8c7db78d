"""``opforge bench mpi``: what ranks measure, and what is printed of it."""

import json

import pytest
from opforge_mpi.benchmarks import command

from opforge.plugin_api import OpforgeError

_MEASURE = """
from opforge_mpi.benchmarks.networks import made
from opforge_mpi.benchmarks.transport import measure_overlap, measure_sums
from opforge_mpi.running import world

say(sums=measure_sums(world(), 4096), steps=made("perceptron").steps(1, 1))
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
def test_what_ranks_measure(ranks, count):
    for said in ranks(count, _MEASURE).said:
        ways = {"bytes", "messages", "library", *(["shared"] if count > 1 else [])}
        assert said["sums"].keys() == ways
        assert all(value > 0 for value in said["sums"].values())
        assert len(said["steps"]) == 1 and said["steps"][0] > 0
        assert said["overlap"].keys() == _TRANSPORT["overlap"].keys()


def test_tables_of_transport(monkeypatch, capsys):
    monkeypatch.setattr(command, "_on_ranks", lambda count, program, folder: _TRANSPORT)
    assert command.main(["-n", "2"]) == 0
    printed = capsys.readouterr().out
    assert "1000.0 us   0.004 GB/s" in printed
    assert "80% hidden" in printed
    assert command.main(["--json"]) == 0
    assert json.loads(capsys.readouterr().out) == _TRANSPORT


def test_tables_of_networks(monkeypatch, capsys):
    seconds = {1: [0.2, 0.1], 2: [0.125, 0.2]}
    monkeypatch.setattr(command, "_on_ranks", lambda count, program, folder: seconds[count])
    monkeypatch.setattr(command, "_apart", lambda count, program, folder: [[0.1], [0.1]])
    monkeypatch.setattr(command, "_on_torch", lambda python, name, rounds, count, folder: [0.5])
    assert command.main(["--networks", "resnet", "--against", "torch", "--repeats", "1"]) == 0
    printed = capsys.readouterr().out
    assert "opforge  alone 100.0 ms, together 125.0 ms (median 162.5): 1.60 times" in printed
    assert "torch    alone 500.0 ms" in printed
    assert "without any communication 2.00 times" in printed
    assert command.main(["--networks", "--json", "--repeats", "1"]) == 0
    rows = json.loads(capsys.readouterr().out)["networks"]
    assert [row["network"] for row in rows] == ["perceptron", "resnet", "language_model"]


def test_what_fails_is_told(monkeypatch):
    monkeypatch.setattr(command, "launcher", lambda: None)
    with pytest.raises(OpforgeError, match="there is no mpiexec"):
        command.main([])
    monkeypatch.setattr(command, "launcher", lambda: "false")
    with pytest.raises(OpforgeError, match="ended with status 1"):
        command.main([])
