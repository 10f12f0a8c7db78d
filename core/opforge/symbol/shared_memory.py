"""`SharedMemory`: the arena and the steady values of executors that were made from each other.

After ``forward(is_train=True)`` an executor has a region for itself until its backward pass is
done, or until it is gone. After that its intermediate results stay, for another backward pass,
until one of the others runs.
"""

import weakref
from typing import Any

from ..base.context import Context
from ..native.graph.arena import Arena
from .compiler.steady import SteadyStore

__all__ = ["SharedMemory"]


class SharedMemory:
    """Memory for the programs of executors.

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
        #: The program that is done and still inside; dead where there is none.
        self._done: Any = None

    def take(self, program: Any) -> None:
        """Give a program a region, for as long as it is not lent to others."""
        self._send_away(program)
        program.enter(self._arena)

    def lend(self, program: Any) -> None:
        """Let others have a program's region when they need one."""
        self._send_away(program)
        self._done = weakref.ref(program)

    def _send_away(self, program: Any) -> None:
        """Let whoever is done leave, unless it is `program`."""
        done = None if self._done is None else self._done()
        self._done = None
        if done is not None and done is not program:
            done.leave()
