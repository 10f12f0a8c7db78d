"""``opforge bench``: what it prints, and what it refuses before it measures."""

import json

import pytest
from opforge_tools.benchmarks import (
    charts,
    comparison,
    importing,
    libraries,
    limits,
    memory,
    processes,
)
from opforge_tools.benchmarks import sizes as growth
from opforge_tools.benchmarks import threads as scaling
from typer.testing import CliRunner

from opforge.cli.app import app

SUMMARY = {"median": 2e-6, "lowest": 1e-6, "spread": 0.1, "count": 5}


def run(*arguments):
    return CliRunner().invoke(app, ["bench", *arguments])


@pytest.fixture
def quick(monkeypatch):
    """Let one peer be installed, and let nothing take long."""
    asked = {}

    def compare(cases, peers, threads, most, rounds, report):
        asked.update(names=[case.name for case in cases], peers=peers, threads=threads)
        asked["rounds"] = rounds
        report("a case")
        return [
            {
                "name": case.name,
                "group": case.group,
                "target": case.target,
                "target_share": case.share,
                "opforge": SUMMARY,
                **dict.fromkeys(peers, SUMMARY),
                "ratios": dict.fromkeys(peers, 1.0),
                "bytes_per_second": None,
                "flops_per_second": None,
                "share": None,
            }
            for case in cases
        ]

    monkeypatch.setattr(comparison, "compare", compare)
    monkeypatch.setattr(limits, "measure", lambda threads: limits.Limits(4e10, 3e11))
    monkeypatch.setattr(libraries, "is_importable", lambda name: name == "numpy")
    return asked


def test_a_table(quick):
    done = run("--only", "transpose|tile", "--threads", "1", "--rounds", "3")
    assert done.exit_code == 0, done.output
    assert quick == {
        "names": ["tile, 100x1000 by 80", "transpose, 2048x2048"],
        "peers": ["numpy"],
        "threads": 1,
        "rounds": 3,
    }
    for text in ("data movement", "ratio to numpy", "2.00 µs", "copying 40.0 GB/s"):
        assert text in done.stdout


def test_json(quick):
    done = run("--only", "tile", "--json")
    report = json.loads(done.stdout)
    assert report["kind"] == "cases"
    assert report["peers"] == ["numpy"]
    assert report["limits"] == {"bytes_per_second": 4e10, "flops_per_second": 3e11}
    assert report["machine"]["versions"]["numpy"]
    (row,) = report["rows"]
    assert row["opforge"] == SUMMARY


def test_pytorch_is_the_peer_where_it_is_installed(quick, monkeypatch):
    monkeypatch.setattr(libraries, "is_importable", lambda name: True)
    run("--only", "tile")
    assert quick["peers"] == ["torch"]
    run("--only", "tile", "--against", "numpy", "--against", "torch")
    assert quick["peers"] == ["numpy", "torch"]


def test_the_listing_measures_nothing(quick):
    done = run("--list", "--only", "tile")
    assert "nd.tile(t, reps=(times, 1))" in done.stdout
    assert json.loads(run("--list", "--only", "tile", "--json").stdout)[0]["target"] == 0.7
    assert quick == {}


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--only", "["], "'[' is not a valid regular expression"),
        (["--only", "no such case"], "list them with opforge bench --list"),
        (["--against", "torch"], "torch is not installed here"),
        (["--against", "mxnet"], "'mxnet': expected torch or numpy"),
        (["--plot", "/no/such/folder/x.png"], "the folder /no/such/folder does not exist"),
    ],
)
def test_invalid_arguments_exit_with_an_error(quick, monkeypatch, arguments, text):
    monkeypatch.setattr(charts, "can_draw", lambda: True)
    done = run(*arguments)
    assert done.exit_code == 1
    assert text in done.stderr
    assert quick == {}


def test_drawing_without_matplotlib_suggests_its_installation(quick, monkeypatch):
    monkeypatch.setattr(charts, "can_draw", lambda: False)
    done = run("--plot", "x.png")
    assert done.exit_code == 1
    assert "pip install 'opforge[bench]'" in done.stderr
    assert quick == {}


def test_a_picture_of_the_ratios(quick, monkeypatch, tmp_path):
    drawn = []
    monkeypatch.setattr(charts, "can_draw", lambda: True)
    monkeypatch.setattr(charts, "draw_ratios", lambda *arguments: drawn.append(arguments))
    run("--only", "tile", "--plot", str(tmp_path / "x.png"))
    ((rows, peer, path),) = drawn
    assert (rows[0]["name"], peer, path) == ("tile, 100x1000 by 80", "numpy", tmp_path / "x.png")


def test_sizes(quick, monkeypatch, tmp_path):
    asked, drawn = [], []

    def sweep(sweeps, counts, library, threads, report):
        asked.append((library, counts[-1]))
        points = [{"elements": n, "seconds": 1e-6, "per_element": 1e-6 / n} for n in counts]
        return [{"name": "add", "points": points, "worst": 0.5, "worst_at": 10}]

    monkeypatch.setattr(growth, "sweep", sweep)
    monkeypatch.setattr(charts, "can_draw", lambda: True)
    monkeypatch.setattr(charts, "draw_sizes", lambda *arguments: drawn.append(arguments))
    picture = str(tmp_path / "x.png")
    done = run("sizes", "--most", "100", "--against", "numpy", "--plot", picture)
    assert done.exit_code == 0, done.output
    assert asked == [("opforge", 100), ("numpy", 100)]
    assert "worst step" in done.stdout
    assert list(drawn[0][0]) == ["opforge", "numpy"]


def test_a_sweep_that_fails_says_why(quick, monkeypatch):
    def sweep(*arguments):
        raise processes.Failure("OperatorNotFoundError: pip install opforge-softmax")

    monkeypatch.setattr(growth, "sweep", sweep)
    done = run("sizes")
    assert done.exit_code == 1
    assert "pip install opforge-softmax" in done.stderr


def test_threads(quick, monkeypatch):
    row = {"name": "exp", "one": 2e-3, "several": 1e-3, "speedup": 2.0, "share": 0.5}
    monkeypatch.setattr(scaling, "scale", lambda cases, threads, most, report: [row])
    done = run("threads", "--threads", "2")
    assert "2.00" in done.stdout
    assert "2 threads" in done.stdout
    assert json.loads(run("threads", "--json").stdout)["rows"] == [row]


def test_memory(quick, monkeypatch):
    monkeypatch.setattr(
        memory,
        "compare_peaks",
        lambda found, threads: [
            {"name": "step", **{name: {"step": 2**20, "beyond_import": 2**21} for name in found}}
        ],
    )
    done = run("memory")
    assert done.exit_code == 0, done.output
    assert "1.0 MiB" in done.stdout
    assert json.loads(run("memory", "--json").stdout)["libraries"] == ["opforge"]


def test_import(quick, monkeypatch):
    row = {"name": "opforge", "plugins": 0, "seconds": 0.1, "beyond_numpy": 0.005}
    monkeypatch.setattr(importing, "measure", lambda repeats: [row] * repeats)
    done = run("import", "--repeats", "2")
    assert done.stdout.count("5.00 ms") == 2


def test_benchmarks_of_plugins(opforge):
    done = opforge(
        "bench", "fx_laps", "-n", "4", "--json", "--help", installed=["fx-tools"], code=4
    )
    assert "-n 4 --json --help" in done.stdout
    table = opforge("bench", "fx_laps", "table", installed=["fx-tools"]).stdout.split()
    assert table == ["laps", "track", "seconds", "long", "61", "in", "the", "rain"]
    done = opforge("bench", "fx_laps", installed=["fx-tools"], code=1)
    assert "expected some" in done.stderr
    assert "fx_laps" in opforge("bench", "--help", installed=["fx-tools"]).stdout
    assert "fx_laps" not in opforge("bench", "--help").stdout
