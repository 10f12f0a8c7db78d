import json

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
