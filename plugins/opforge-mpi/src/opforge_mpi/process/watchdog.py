"""Messages on behalf of a process that cannot print: it is blocked while MPI starts, or was killed.

A separate shell holds the message. It runs in its own session, so that it survives a signal that
kills the process, and it ends with the process.
"""

import faulthandler
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from .launchers import LAUNCHERS

__all__ = ["print_exit_message", "startup_timeout"]


@contextmanager
def startup_timeout(seconds: float) -> Iterator[None]:
    """End this process with a message if the ``with`` block takes longer.

    MPI starts when all ranks do, in one call during which no Python code can run; faulthandler's
    timer does not need to.
    """
    rank = next((os.environ[r] for n, r in LAUNCHERS if os.environ.get(n, "1") != "1"), None)
    if rank is None or "mpi4py.MPI" in sys.modules:  # a single process, or started
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


def print_exit_message(message: str) -> Callable[[], None]:
    """Print a message if this process ends without having called the returned function."""
    shell = _shell('read -r word || echo "$1" >&2', message)
    assert shell.stdin is not None
    os.register_at_fork(after_in_child=shell.stdin.close)  # a worker may outlive this process

    def dismiss() -> None:
        shell.communicate(b"\n")

    return dismiss


def _shell(script: str, message: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        ["/bin/sh", "-c", script, "sh", message],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )
