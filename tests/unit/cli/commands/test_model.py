import json

import numpy as np
import pytest
from typer.testing import CliRunner

from opforge import nd, sym
from opforge.cli.app import app


def run(*arguments):
    return CliRunner().invoke(app, ["model", "check", *map(str, arguments)])


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "net-symbol.json"
    sym.softmax(sym.exp(sym.var("x")), name="s").save(path)
    return path


@pytest.mark.plugins
def test_a_graph_that_can_be_loaded(file):
    done = run(file)
    assert done.exit_code == 0
    assert "primitive operators: exp" in done.output
    assert ["softmax", "1", "opforge-softmax", "0.1.0", "0.1.0", "ok"] in [
        line.split() for line in done.output.splitlines()
    ]
    assert "It can be loaded." in done.output


@pytest.mark.plugins
def test_a_graph_that_cannot(file):
    file.write_text(file.read_text().replace("opforge-softmax", "acme-softmax"))
    done = run(file)
    assert done.exit_code == 1
    assert "If you trust the source of the file: pip install 'acme-softmax>=0.1.0'" in done.output
    report = json.loads(run(file, "--json").output)
    assert not report["loadable"]


def test_arrays(tmp_path):
    nd.save(tmp_path / "x.params", {"arg:w": nd.ones((2, 3))})
    done = run(tmp_path / "x.params")
    assert done.exit_code == 0
    assert ["arg:w", "2", "x", "3", "float32"] in [
        line.split() for line in done.output.splitlines()
    ]


@pytest.mark.plugins
def test_a_terminal_does_not_obey_the_file(file):
    file.write_text(file.read_text().replace('"op": "softmax"', '"op": "\\u001b[2Jsoft[red]"'))
    done = run(file)
    assert "\x1b" not in done.output
    assert r"\x1b[2Jsoft[red]" in done.output


def test_other_files_exit_with_an_error(tmp_path):
    (tmp_path / "x.txt").write_text("softmax")
    for name in ("x.txt", "missing.json"):
        done = run(tmp_path / name)
        assert done.exit_code == 1
        assert name in done.output
        assert "Traceback" not in done.output


def test_a_file_that_cannot_be_read(tmp_path):
    for name, why in (("nofile", "No such file or directory"), ("", "Is a directory")):
        done = run(tmp_path / name)
        assert done.exit_code == 1
        assert f"cannot be read: {why}. Pass the file of a graph (prefix-symbol" in done.output
        assert "Errno" not in done.output


@pytest.fixture
def saved(tmp_path):
    net = sym.broadcast_add(sym.exp(sym.var("x"), name="e"), sym.var("w"), name="sum")
    net.save(str(tmp_path / "net-symbol.json"))
    nd.save(str(tmp_path / "net-0000.params"), {"arg:w": nd.array([[1, 2]])})
    np.save(tmp_path / "x.npy", np.zeros((1, 2), "float32"))
    return tmp_path


def command(*arguments):
    return CliRunner().invoke(app, ["model", *map(str, arguments)])


def test_run_prints_and_writes_the_outputs(saved):
    graph, x = saved / "net-symbol.json", saved / "x.npy"
    done = command("run", graph, "--input", x, "--output", saved / "y.npz")
    assert done.exit_code == 0, done.output
    assert done.output.splitlines()[-1].split() == [
        "sum_output",
        "1",
        "x",
        "2",
        "float32",
        "2.5",
        "2",
        "3",
    ]
    assert np.load(saved / "y.npz")["sum_output"].tolist() == [[2, 3]]
    done = command("run", graph)
    assert done.exit_code == 1 and "pass --input NAME=FILE.npy for x" in done.output


def test_convert_writes_another_file(saved):
    done = command("convert", saved / "net-symbol.json", saved / "other-symbol.json")
    assert done.exit_code == 0 and "other-0000.params" in done.output
    done = command("convert", saved / "net-symbol.json", saved / "w.safetensors")
    assert done.exit_code == 0 and list(nd.load(str(saved / "w.safetensors"))) == ["w"]
    done = command("convert", saved / "net-symbol.json", saved / "n.acme", "--shape", "x=1,2")
    assert done.exit_code == 1 and "no format .acme" in done.output
    done = command("convert", saved / "missing-symbol.json", saved / "w.params")
    assert done.exit_code == 1 and "missing-symbol.json cannot be opened" in done.output
    done = command("convert", saved / "net-symbol.json", saved / "w.params", "--shape", "x=a")
    assert done.exit_code == 1 and "expected NAME=N,N,..." in done.output


def test_compare_finds_the_first_difference(saved):
    graph, x = saved / "net-symbol.json", saved / "x.npy"
    done = command("compare", graph, graph, "--input", x)
    assert done.exit_code == 0 and "All 4 layers of the same name agree." in done.output
    command("convert", graph, saved / "other-symbol.json")
    nd.save(str(saved / "other-0000.params"), {"arg:w": nd.array([[1, 3]])})
    done = command("compare", graph, saved / "other-symbol.json", "--input", x)
    assert done.exit_code == 1 and "The first difference is in w." in done.output
    sym.log(sym.var("x"), name="l").save(str(saved / "log-symbol.json"))
    nd.save(str(saved / "log-0000.params"), {"arg:w": nd.ones(1)})
    done = command("compare", graph, saved / "log-symbol.json", "--input", x)
    assert done.exit_code == 0 and "All 1 layers of the same name agree." in done.output


def bench(*arguments):
    return command("bench", *arguments, "--seconds", "0.01", "--threads", "1")


def test_bench_prints_tables_and_json(saved):
    graph = saved / "net-symbol.json"
    done = bench(graph, "--shape", "x=1,2", "--batch", "3", "--clients", "2", "--rows", "1")
    assert done.exit_code == 0, done.output
    lines = done.output.splitlines()
    assert lines[:2] == ["inputs: x 3x2 float32", "threads for one request: 1"]
    assert any(line.startswith("throughput, 2 clients (requests/s)") for line in lines)
    assert lines[-2].split() == ["slowest", "operators", "type", "ms", "share"]
    report = json.loads(bench(graph, "--input", saved / "x.npy", "--json").output)
    assert report["model"] == str(graph) and report["clients"] == 4
    figures = report["engines"]["opforge"]
    assert 0 < figures["minimum_ms"] <= figures["median_ms"] <= figures["p99_ms"]
    assert {"e", "sum"} & {name for row in report["operators"] for name in row["name"].split("+")}


def test_bench_explains_errors(saved):
    graph = saved / "net-symbol.json"
    done = bench(graph)
    assert done.exit_code == 1 and "pass --shape x=N,N,..." in done.output
    done = bench(graph, "--shape", "x=1,2", "--against", "acme")
    assert done.exit_code == 1 and "pip install opforge-onnx onnxruntime" in done.output
    done = bench(saved / "missing-symbol.json")
    assert done.exit_code == 1 and "missing-symbol.json cannot be opened" in done.output


def test_compare_takes_files_of_parameters(saved):
    graph, x = saved / "net-symbol.json", saved / "x.npy"
    nd.save(str(saved / "net-0001.params"), {"arg:w": nd.array([[1, 3]])})
    done = command("compare", graph, graph, "--input", x)
    assert done.exit_code == 1 and "pass --params" in done.output
    chosen = "--params", saved / "net-0001.params", "--second-params", saved / "net-0001.params"
    done = command("compare", graph, graph, "--input", x, *chosen)
    assert done.exit_code == 0 and "All 4 layers of the same name agree." in done.output
