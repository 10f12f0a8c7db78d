"""`SharedMemory`: arena and steady values of executors that were created from one another.

After ``forward(is_train=True)``, an executor owns a region until its backward pass is done or the
executor is deleted. Its intermediate results then remain valid, for another backward pass, until
another executor runs.
"""

import weakref
from typing import Any

from ..base.context import Context
from ..native.graph.arena import Arena
from .compiler.steady_values import SteadyStore

__all__ = ["SharedMemory"]


class SharedMemory:
    """Memory shared by the programs of several executors.

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
