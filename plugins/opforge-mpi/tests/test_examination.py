"""Checks of ``opforge doctor``: the MPI installation, and how ranks share the machine."""

import json
import os
import stat
import subprocess
import sys

import pytest
from opforge_mpi.examination import _of_threads

# In a separate process, because it may start MPI, and this one may have done so.
_EXAMINE = (
    "import json; from opforge_mpi.examination import examine; print(json.dumps([*examine()]))"
)


def examined(**environment):
    done = subprocess.run(
        [sys.executable, "-c", _EXAMINE],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    return [tuple(row) for row in json.loads(done.stdout)]


def test_installation(libmpi):
    rows = examined(OPFORGE_NUM_THREADS="1")
    assert any("mpi4py" in message and not remedy for message, remedy in rows)
    assert not any("cannot be loaded" in message for message, _ in rows)


def test_without_mpi(tmp_path):
    (tmp_path / "mpi4py.py").write_text("raise ImportError('no MPI here')")
    ((message, remedy),) = examined(PYTHONPATH=str(tmp_path))
    assert message == "MPI cannot be loaded: ImportError: no MPI here"
    assert "pip install" in remedy


def test_the_launcher_of_another_library(tmp_path):
    # mpiexec is first searched for next to the Python executable.
    python = tmp_path / "python"
    python.symlink_to(sys.executable)
    launcher = tmp_path / "mpiexec"
    launcher.write_text("#!/bin/sh\necho 'mpiexec (OpenRTE) 4.1.4'\n")
    launcher.chmod(launcher.stat().st_mode | stat.S_IXUSR)
    program = (
        f"import sys; sys.executable = {str(python)!r}\n"
        "from opforge_mpi.examination import _of_launcher; print([*_of_launcher('MPICH')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=True
    )
    assert "mpiexec is from Open MPI, but mpi4py uses MPICH" in done.stdout


@pytest.mark.parametrize(
    ("environment", "cpus", "message", "remedy"),
    [
        ({"MPI_LOCALNRANKS": "4"}, 8, "4 ranks of 8 threads share 8", "OPFORGE_NUM_THREADS=2"),
        (
            {"MPI_LOCALNRANKS": "4", "OPFORGE_NUM_THREADS": "1"},
            2,
            "4 ranks of 1 threads share 2",
            "OPFORGE_NUM_THREADS=1, and mpiexec -n 2",
        ),
        ({}, 8, "optional: OPFORGE_NUM_THREADS sets the threads of each rank, by default 8", ""),
    ],
)
def test_threads_of_ranks(environment, cpus, message, remedy):
    ((said, mends),) = _of_threads(environment, cpus)
    assert said.startswith(message) and mends == remedy


@pytest.mark.parametrize(
    ("environment", "cpus"),
    [
        ({"MPI_LOCALNRANKS": "4", "OMP_NUM_THREADS": "2"}, 8),
        ({"OPFORGE_NUM_THREADS": "many"}, 1),
        ({}, 1),
    ],
)
def test_suitable_thread_counts(environment, cpus):
    assert not [*_of_threads(environment, cpus)]
