"""Words of a process that cannot speak: one that MPI's start holds up, and one that was killed.

A shell beside it has them ready. It is in a session of its own, so that what kills the process
leaves it alive, and it ends with the process.
"""

import faulthandler
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["obituary", "started_in_time"]

#: What launchers tell each process: how many there are, and which it is.
_LAUNCHERS = (
    ("PMI_SIZE", "PMI_RANK"),
    ("OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"),
    ("SLURM_NTASKS", "SLURM_PROCID"),
)


@contextmanager
def started_in_time(seconds: float) -> Iterator[None]:
    """End this process, with a message, if what is done here takes longer.

    MPI starts when all ranks do, in one call that lets no Python run meanwhile; faulthandler's
    timer needs none.
    """
    rank = next((os.environ[r] for n, r in _LAUNCHERS if os.environ.get(n, "1") != "1"), None)
    if rank is None or "mpi4py.MPI" in sys.modules:  # alone, or started
        yield
        return
    message = (
        f"opforge-mpi: rank {rank} ({socket.gethostname()}) has waited {seconds:g} s for all ranks "
        "to start MPI: one hangs, is lost, or needs longer before its first use of opforge_mpi. "
        "OPFORGE_MPI_TIMEOUT sets the seconds. It waited here:"
    )
    with _shell('read -r first && { echo "$1"; cat; } >&2', message) as shell:
        assert shell.stdin is not None
        faulthandler.dump_traceback_later(seconds, exit=True, file=shell.stdin)
        try:
            yield
        finally:
            faulthandler.cancel_dump_traceback_later()


def obituary(message: str) -> Callable[[], None]:
    """Let a message be printed when this process ends without having called what is returned."""
    shell = _shell('read -r word || echo "$1" >&2', message)
    assert shell.stdin is not None
    os.register_at_fork(after_in_child=shell.stdin.close)  # a worker may outlive this process

    def farewell() -> None:
        shell.communicate(b"\n")

    return farewell


def _shell(script: str, message: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        ["/bin/sh", "-c", script, "sh", message],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )
