import json

import pytest
from typer.testing import CliRunner

from opforge.cli.app import app


def run(*arguments):
    return CliRunner().invoke(app, ["catalogue", "build", *map(str, arguments)])


@pytest.mark.plugins
def test_the_installed_set(tmp_path):
    pytest.importorskip("jinja2", reason="the catalogue needs Jinja2: opforge[catalogue]")
    report = {"subject": "softmax", "checks": [{"check": "forward", "status": "passed"}]}
    (tmp_path / "reports").mkdir()
    (tmp_path / "reports" / "a.json").write_text(json.dumps(report))
    done = run(tmp_path / "out", "--reports", tmp_path / "reports")
    assert done.exit_code == 0
    assert "contributions of" in done.output
    assert 'class="badge passed"' in (tmp_path / "out" / "index.html").read_text()
    index = json.loads((tmp_path / "out" / "index.json").read_text())
    assert index["operators"]["softmax"][0]["distribution"] == "opforge-softmax"


def test_wheels_that_cannot_be_read_are_named(tmp_path):
    pytest.importorskip("jinja2", reason="the catalogue needs Jinja2: opforge[catalogue]")
    (tmp_path / "torn-1.0-py3-none-any.whl").write_text("no wheel")
    done = run(tmp_path / "out", tmp_path)
    assert done.exit_code == 0
    assert "not read: torn-1.0-py3-none-any.whl: PluginError: " in done.output


def test_folders_that_are_not_there(tmp_path):
    assert "missing is not a folder" in run(tmp_path, tmp_path / "missing").output
    assert run(tmp_path, "--reports", tmp_path / "missing").exit_code == 1
