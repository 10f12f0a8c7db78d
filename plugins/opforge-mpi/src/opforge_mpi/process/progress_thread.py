"""`ProgressThread`: a thread that advances sums by messages while the program computes.

MPI moves large messages only inside its calls, and a sum has several rounds of messages. Networks
with few layers complete gradients too rarely to advance all rounds between them.
"""

import threading
import time
from collections.abc import Callable

__all__ = ["ProgressThread"]

#: Seconds between two polls: a poll takes 10 us of a core that computes.
_INTERVAL = 5e-4


class ProgressThread:
    """Thread that calls a function repeatedly while sums are in progress.

    Parameters
    ----------
    advance : callable
        Takes the steps that need no waiting, and returns whether there are more.
    """

    def __init__(self, advance: Callable[[], bool]) -> None:
        self._advance = advance
        self._is_wanted = threading.Event()
        self._thread: threading.Thread | None = None
        self._is_closed = False

    def wake(self) -> None:
        """Notify the thread of a new sum."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="opforge-mpi", daemon=True)
            self._thread.start()
        self._is_wanted.set()

    def close(self) -> None:
        """Stop the thread; no sums may be in progress."""
        self._is_closed = True
        self._is_wanted.set()

    def _run(self) -> None:
        while not self._is_closed:
            self._is_wanted.wait()
            self._is_wanted.clear()
            time.sleep(_INTERVAL)  # the caller of `wake` has just polled
            while self._advance():
                time.sleep(_INTERVAL)
