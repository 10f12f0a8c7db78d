"""Tests against MXNet 1.9.1, which runs in an interpreter of its own; ``tox -e oracle`` makes it.

`OPFORGE_ORACLE` is that interpreter. Without it there is nothing to compare with, and these files
are not collected.
"""

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

INTERPRETER = os.environ.get("OPFORGE_ORACLE", "")
WORKER = Path(__file__).with_name("worker.py")

collect_ignore_glob = [] if INTERPRETER else ["test_*.py"]


@pytest.fixture
def oracle(tmp_path: Path) -> Callable[..., Any]:
    """Run a program of programs/ in MXNet, in the folder `tmp_path`, and return its answer."""

    def ask(program: str, request: Any = None) -> Any:
        (tmp_path / "request.json").write_text(json.dumps(request), encoding="utf-8")
        done = subprocess.run(
            [INTERPRETER, str(WORKER), program, str(tmp_path)],
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
            # MXNet's warnings are its own; this interpreter's settings are not for it.
            env={k: v for k, v in os.environ.items() if not k.startswith("PYTHON")},
        )
        assert done.returncode == 0, f"{program} failed in MXNet:\n{done.stderr[-4000:]}"
        return json.loads((tmp_path / "answer.json").read_text(encoding="utf-8"))

    return ask
