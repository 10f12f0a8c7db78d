"""The server of the guide on serving answers requests (needs FastAPI)."""

import re
import runpy
from pathlib import Path

import numpy as np
import pytest

pytestmark = pytest.mark.plugins
PAGE = Path(__file__).resolve().parents[2] / "docs" / "howto" / "serve_a_model.md"


@pytest.mark.keeps_memory  # the program's module keeps its network
def test_the_server_answers(tmp_path, monkeypatch):
    pytest.importorskip("fastapi")
    pytest.importorskip("httpx")
    testclient = pytest.importorskip("fastapi.testclient")
    page = PAGE.read_text(encoding="utf-8")
    export = re.search(r"^```python\n(.+?)^```$", page, re.MULTILINE | re.DOTALL)[1]
    program = re.search(r"^:caption: serve.py\n(.+?)^```$", page, re.MULTILINE | re.DOTALL)[1]
    monkeypatch.chdir(tmp_path)
    exec(compile(export, str(PAGE), "exec"), {})
    Path("serve.py").write_text(program, encoding="utf-8")
    client = testclient.TestClient(runpy.run_path("serve.py")["app"])
    answer = client.post("/predict", content=np.zeros((3, 32, 32), "float32").tobytes())
    assert answer.status_code == 200
    assert len(answer.json()["classes"]) == len(answer.json()["probabilities"]) == 3
    assert client.post("/predict", content=b"short").status_code == 422
