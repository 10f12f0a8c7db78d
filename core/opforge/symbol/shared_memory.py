"""`SharedMemory`: arena and steady values of executors that were created from one another.

After ``forward(is_train=True)``, an executor owns a region until its backward pass is done or the
executor is deleted. Its intermediate results then remain valid, for another backward pass, until
another executor runs.
"""

import threading
import weakref
from typing import Any

from ..base.context import Context
from ..base.errors import OpforgeError
from ..native.graph.arena import Arena
from .compiler.steady_values import SteadyStore

__all__ = ["SharedMemory"]


class SharedMemory:
    """Memory shared by the programs of several executors.

    One thread at a time uses it, in a `with` block.

    Parameters
    ----------
    context : Context

    Attributes
    ----------
    steady : SteadyStore
    """

    def __init__(self, context: Context) -> None:
        self._arena = Arena(context)
        self.steady = SteadyStore(context)
        #: Weak reference to the finished program that still has a region; dead if there is none.
        self._done: Any = None
        # Reentrant: a monitor's callback may run another executor.
        self._lock = threading.RLock()

    def __enter__(self) -> None:
        """Reserve the memory for this thread.

        Raises
        ------
        OpforgeError
            Another thread uses it.
        """
        if not self._lock.acquire(blocking=False):
            raise OpforgeError(
                "executor: another thread is running it, or one that shares memory with it. Bind "
                "an executor for each thread, or call forward and backward under one lock"
            )

    def __exit__(self, *error: object) -> None:
        """Make the memory available to other threads."""
        self._lock.release()

    def acquire(self, program: Any) -> None:
        """Give a program a region, until it is released."""
        self._evict(program)
        program.enter(self._arena)

    def release(self, program: Any) -> None:
        """Mark a program's region as available to others."""
        self._evict(program)
        self._done = weakref.ref(program)

    def _evict(self, program: Any) -> None:
        """Evict the finished program from its region, unless it is `program`."""
        done = None if self._done is None else self._done()
        self._done = None
        if done is not None and done is not program:
            done.leave()
