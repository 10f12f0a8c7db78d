"""`os._exit` in a rank: never with status 0 while the others still count on it.

A process that leaves by `os._exit` runs no exit handlers, and so ends MPI without a word. The
launcher then kills the other ranks, and where it reads the status 0 of the first one before theirs
it reports success.
"""

import os
import sys
from collections.abc import Callable

__all__ = ["fail_on_exit"]


def fail_on_exit(rank: int) -> Callable[[], None]:
    """Make `os._exit(0)` of this process a failure until what is returned is called."""
    leave, process = os._exit, os.getpid()

    def exit_as_failure(status: int) -> None:
        # Workers that were forked are no ranks.
        if status == 0 and os.getpid() == process:
            print(
                f"opforge-mpi: rank {rank} leaves by os._exit(0) while others count on it, which "
                "ends them all; the status is 1 instead. Let the program end, or call "
                "opforge_mpi.shutdown() before",
                file=sys.stderr,
                flush=True,
            )
            status = 1
        leave(status)

    def restore() -> None:
        if os._exit is exit_as_failure:
            os._exit = leave

    os._exit = exit_as_failure  # type: ignore[assignment]
    return restore
