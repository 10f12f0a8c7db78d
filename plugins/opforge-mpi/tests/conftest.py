"""Fixtures that run programs on several ranks, started by `mpiexec` in separate processes."""

import json
import os
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from .machines import Machines, joined_machines

# Prefix of every program; `say` passes results to the test.
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
#: Time limit that no program should come near, however busy the machine is; scaled by ``--stress``.
_SECONDS = 120


@dataclass
class Run:
    """Result of a program: its status, its output, and the values passed to `say` by each rank."""

    status: int
    printed: str
    said: list[dict[str, Any]]


@pytest.fixture
def mpiexec(libmpi: None) -> str:
    """Return the path of the launcher."""
    path = shutil.which("mpiexec", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    if path is None:
        pytest.skip("no mpiexec: pip install 'opforge-mpi[mpich]'")
    return path


@pytest.fixture
def machines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machines]:
    """Two machines connected by a network."""
    try:
        with joined_machines(tmp_path_factory.mktemp("machines")) as both:
            yield both
    except OSError as error:
        pytest.skip(f"no machines can be made of namespaces here: {error}")


@pytest.fixture
def ranks(tmp_path: Path, stress: int, mpiexec: str) -> Callable[..., Run]:
    """Return a function that runs a program on n ranks, on this machine or on others."""

    def run(
        count: int,
        program: str,
        status: int | None = 0,
        on: Machines | None = None,
        **environment: str,
    ) -> Run:
        start = [mpiexec] if on is None else on.launcher(mpiexec, count)
        network = {} if on is None else on.environment
        folder = tmp_path / f"run{len(list(tmp_path.iterdir()))}"
        folder.mkdir()
        text = _PRELUDE.format(folder=str(folder)) + textwrap.dedent(program)
        done = subprocess.run(
            [*start, "-n", str(count), sys.executable, "-c", text],
            capture_output=True,
            text=True,
            timeout=_SECONDS * stress,
            stdin=subprocess.DEVNULL,
            env={**os.environ, "OPFORGE_NUM_THREADS": "1", **network, **environment},
        )
        printed = done.stdout + done.stderr
        assert status is None or done.returncode == status, printed
        said: list[dict[str, Any]] = [{} for _ in range(count)]
        for file in folder.glob("rank*.json"):
            for line in file.read_text().splitlines():
                said[int(file.stem.removeprefix("rank"))].update(json.loads(line))
        return Run(done.returncode, printed, said)

    return run
