"""`Progress`: a thread that goes on with sums by messages while the program computes.

MPI moves large messages only inside its calls, and a sum has several rounds of them. A network of
few layers completes gradients too seldom to take them all in between.
"""

import threading
import time
from collections.abc import Callable

__all__ = ["Progress"]

#: Seconds between two looks at what is under way: a look takes 10 us of a core that computes.
_NAP = 5e-4


class Progress:
    """Calls a function again and again while there is something under way.

    Parameters
    ----------
    go_on : callable
        Takes the steps that need no waiting, and tells whether there is more to come.
    """

    def __init__(self, go_on: Callable[[], bool]) -> None:
        self._go_on = go_on
        self._is_wanted = threading.Event()
        self._thread: threading.Thread | None = None
        self._is_closed = False

    def wake(self) -> None:
        """Tell it that there is something."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="opforge-mpi", daemon=True)
            self._thread.start()
        self._is_wanted.set()

    def close(self) -> None:
        """End it; nothing may be under way."""
        self._is_closed = True
        self._is_wanted.set()

    def _run(self) -> None:
        while not self._is_closed:
            self._is_wanted.wait()
            self._is_wanted.clear()
            time.sleep(_NAP)  # who wakes it has just looked
            while self._go_on():
                time.sleep(_NAP)
