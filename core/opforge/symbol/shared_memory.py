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

    One thread at a time uses it, the one that holds `lock`.

    Parameters
    ----------
    context : Context

    Attributes
    ----------
    steady : SteadyStore
    lock : threading.RLock
        Reentrant: a monitor's callback may run another executor. Acquire it without waiting, and
        raise `in_use` if that fails.
    """

    def __init__(self, context: Context) -> None:
        self._arena = Arena(context)
        self.steady = SteadyStore(context)
        #: Weak reference to the finished program that still has a region; dead if there is none.
        self._done: Any = None
        self.lock = threading.RLock()

    @staticmethod
    def in_use() -> OpforgeError:
        """Return the error for a thread that does not get the lock."""
        return OpforgeError(
            "executor: another thread is running it, or one that shares memory with it. Bind "
            "an executor for each thread, or call forward and backward under one lock"
        )

    def acquire(self, program: Any) -> None:
        """Give a program a region, until it is released."""
        if self._done is not None:
            self._evict(program)
        program.enter(self._arena)

    def release(self, program: Any) -> None:
        """Mark a program's region as available to others."""
        if self._done is not None:
            self._evict(program)
        self._done = weakref.ref(program)

    def _evict(self, program: Any) -> None:
        """Evict the finished program from its region, unless it is `program`."""
        done, self._done = self._done(), None
        if done is not None and done is not program:
            done.leave()
