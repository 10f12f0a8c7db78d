"""Guard against `os._exit(0)` in a rank while the others still depend on it.

A process that calls `os._exit` runs no exit handlers and so never finalizes MPI. The launcher then
kills the other ranks, and reports success if it reads the status 0 of the first one before theirs.
"""

import os
import sys
from collections.abc import Callable

__all__ = ["fail_on_exit"]


def fail_on_exit(rank: int) -> Callable[[], None]:
    """Make `os._exit(0)` exit with status 1 until the returned function is called."""
    original_exit, process = os._exit, os.getpid()

    def exit_as_failure(status: int) -> None:
        # Forked workers are not ranks.
        if status == 0 and os.getpid() == process:
            print(
                f"opforge-mpi: rank {rank} calls os._exit(0) while other ranks depend on it, which "
                "ends them all; the status is changed to 1. Let the program end normally, or call "
                "opforge_mpi.shutdown() before",
                file=sys.stderr,
                flush=True,
            )
            status = 1
        original_exit(status)

    def restore() -> None:
        if os._exit is exit_as_failure:
            os._exit = original_exit

    os._exit = exit_as_failure  # type: ignore[assignment]
    return restore
