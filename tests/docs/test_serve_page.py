"""The server of the guide on serving answers requests, and its model is measured."""

import doctest
import re
import runpy
import shlex
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from opforge.cli.app import app

pytestmark = pytest.mark.plugins
PAGE = Path(__file__).resolve().parents[2] / "docs" / "howto" / "serve_a_model.md"


def export_model():
    """Run the block of the page that saves a model in the current folder."""
    page = PAGE.read_text(encoding="utf-8")
    export = re.search(r"^```python\n(.+?)^```$", page, re.MULTILINE | re.DOTALL)[1]
    exec(compile(export, str(PAGE), "exec"), {})
    return page


@pytest.mark.keeps_memory  # the program's module keeps its network
def test_the_server_answers(tmp_path, monkeypatch):
    pytest.importorskip("fastapi")
    pytest.importorskip("httpx")
    testclient = pytest.importorskip("fastapi.testclient")
    monkeypatch.chdir(tmp_path)
    page = export_model()
    program = re.search(r"^:caption: serve.py\n(.+?)^```$", page, re.MULTILINE | re.DOTALL)[1]
    Path("serve.py").write_text(program, encoding="utf-8")
    client = testclient.TestClient(runpy.run_path("serve.py")["app"])
    answer = client.post("/predict", content=np.zeros((3, 32, 32), "float32").tobytes())
    assert answer.status_code == 200
    assert len(answer.json()["classes"]) == len(answer.json()["probabilities"]) == 3
    assert client.post("/predict", content=b"short").status_code == 422


@pytest.mark.keeps_memory
def test_the_model_is_measured(tmp_path, monkeypatch):
    pytest.importorskip("onnxruntime")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)
    page = export_model()
    block = re.search(r"^```console\n\$ opforge (model bench .+?)\n(.+?)^```$", page, re.M | re.S)
    arguments = [*shlex.split(block[1]), "--seconds", "0.02"]
    done = CliRunner().invoke(app, arguments, prog_name="opforge")
    assert done.exit_code == 0, done.output
    like = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    assert doctest.OutputChecker().check_output(block[2], done.output, like), done.output
