"""Tests against MXNet 1.9.1, which runs in a separate interpreter; ``tox -e oracle`` creates it.

`OPFORGE_ORACLE` is that interpreter. Without it there is nothing to compare with, and these files
are not collected.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

INTERPRETER = os.environ.get("OPFORGE_ORACLE", "")
WORKER = Path(__file__).with_name("worker.py")

collect_ignore_glob = [] if INTERPRETER else ["test_*.py"]


def answer(command: list[str], program: str, request: Any, folder: Path, **settings: Any) -> Any:
    """Run `worker` by a command in `folder`, and return its answer."""
    (folder / "request.json").write_text(json.dumps(request), encoding="utf-8")
    done = subprocess.run(
        [*command, str(WORKER), program, str(folder)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        **settings,
    )
    assert done.returncode == 0, f"{program} failed: {command}\n{done.stderr[-4000:]}"
    return json.loads((folder / "answer.json").read_text(encoding="utf-8"))


@pytest.fixture
def oracle(tmp_path: Path) -> Callable[..., Any]:
    """Run a program of programs/ in MXNet, in the folder `tmp_path`, and return its answer."""
    # MXNet's warnings are expected; this interpreter's settings do not apply to it.
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}

    def ask(program: str, request: Any = None) -> Any:
        return answer([INTERPRETER], program, request, tmp_path, env=environment)

    return ask


@pytest.fixture
def by_name(tmp_path: Path) -> Callable[..., Any]:
    """Run a program of programs/ with opforge under the name of MXNet, and return its answer.

    It runs in the folder `tmp_path`; options are those of ``python -m opforge.mxnet``.
    """

    def ask(program: str, request: Any, *options: str) -> Any:
        command = [sys.executable, "-m", "opforge.mxnet", *options]
        return answer(command, program, request, tmp_path)

    return ask


@pytest.fixture
def each_way(
    tmp_path: Path, oracle: Callable[..., Any], by_name: Callable[..., Any]
) -> Callable[..., None]:
    """Run a program of a network in MXNet and here in two execution modes, and compare the results.

    `part` returns the tolerance for an array's name, relative to the largest element or to `least`,
    whichever is larger.
    """

    def compare(
        program: str, request: Any, part: Callable[[str], float], *options: str, least: float = 1e-6
    ) -> None:
        ways = ["eager", "hybridized"]
        names = oracle(program, {**request, "ways": ["mxnet"]})
        assert by_name(program, {**request, "ways": ways}, *options) == names
        wanted = dict(np.load(tmp_path / "mxnet.npz"))
        for way in ways:
            found = dict(np.load(tmp_path / f"{way}.npz"))
            assert list(found) == list(wanted)
            for key, array in found.items():
                atol = part(key) * max(np.abs(wanted[key]).max(), least)
                np.testing.assert_allclose(array, wanted[key], 0, atol, err_msg=f"{way}: {key}")

    return compare
