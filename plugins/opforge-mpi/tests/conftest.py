"""Programs of several ranks, each started by `mpiexec` in processes of their own."""

import json
import os
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

# What every program begins with: `say` hands something to the test.
_PRELUDE = """
import json, os, sys
import numpy as np
import opforge as mx
import opforge_mpi as mpi
from opforge import autograd, gluon, nd

def say(**facts):
    with open(os.path.join({folder!r}, f"rank{{mpi.rank()}}.json"), "a") as file:
        print(json.dumps(facts, default=lambda x: x.tolist()), file=file)
"""
#: No program takes a tenth of it, however busy the machine is; with ``--stress`` N times as long.
_SECONDS = 120


@dataclass
class Run:
    """What became of a program: its status, what it printed, and what each rank said."""

    status: int
    printed: str
    said: list[dict[str, Any]]


@pytest.fixture
def ranks(tmp_path: Path, stress: int) -> Callable[..., Run]:
    """Return a function that runs a program on so many ranks."""
    pytest.importorskip("mpi4py", reason="no mpi4py: pip install 'opforge-mpi[mpich]'")
    mpiexec = shutil.which("mpiexec", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    if mpiexec is None:
        pytest.skip("no mpiexec: pip install 'opforge-mpi[mpich]'")

    def run(count: int, program: str, status: int | None = 0, **environment: str) -> Run:
        folder = tmp_path / f"run{len(list(tmp_path.iterdir()))}"
        folder.mkdir()
        text = _PRELUDE.format(folder=str(folder)) + textwrap.dedent(program)
        done = subprocess.run(
            [mpiexec, "-n", str(count), sys.executable, "-c", text],
            capture_output=True,
            text=True,
            timeout=_SECONDS * stress,
            stdin=subprocess.DEVNULL,
            env={**os.environ, "OPFORGE_NUM_THREADS": "1", **environment},
        )
        printed = done.stdout + done.stderr
        assert status is None or done.returncode == status, printed
        said: list[dict[str, Any]] = [{} for _ in range(count)]
        for file in folder.glob("rank*.json"):
            for line in file.read_text().splitlines():
                said[int(file.stem.removeprefix("rank"))].update(json.loads(line))
        return Run(done.returncode, printed, said)

    return run
