"""Waiting for other ranks without taking the processor from them, and never for ever.

A collective is a generator that yields what it waits for. Whoever drives it decides how: to its
end, or as far as it goes now while something else is computed.
"""

import os
import time
from collections.abc import Callable, Generator, Sequence
from typing import Generic, Protocol, TypeVar

__all__ = ["Collective", "Requests", "Steps", "Waited"]

T = TypeVar("T")

#: Seconds in which the processor is only offered to others: what answers at once is met awake.
_AWAKE = 1e-3
#: After them come naps of this share of the time so far, and of so many seconds at most. Messages
#: travel in pieces that need both sides awake: a long nap before each would make them crawl.
_NAP, _LONGEST_NAP = 0.002, 2e-3


class Waited(Protocol):
    """Something that happens by and by."""

    def test(self) -> bool:
        """Make progress, and tell whether it has happened."""

    def missing(self) -> Sequence[int]:
        """Return the ranks that it waits for; none if that is not known."""


Steps = Generator[Waited, None, T]


class Requests:
    """Requests of MPI, each of a rank.

    Parameters
    ----------
    requests : list of mpi4py.MPI.Request
    ranks : list of int
        The other side of each; empty if they have more than one.
    """

    def __init__(self, requests: Sequence[object], ranks: Sequence[int] = ()) -> None:
        self._open = list(requests)
        self._ranks = list(ranks)

    def test(self) -> bool:
        """Let MPI make progress, and tell whether all are complete."""
        done = [request.Test() for request in self._open]  # type: ignore[attr-defined]
        if any(done):
            self._open = [one for one, over in zip(self._open, done, strict=True) if not over]
            if self._ranks:
                self._ranks = [r for r, over in zip(self._ranks, done, strict=True) if not over]
        return not self._open

    def missing(self) -> Sequence[int]:
        """Return the ranks whose requests are not complete."""
        return sorted(set(self._ranks))


class Collective(Generic[T]):
    """A collective that is under way.

    Parameters
    ----------
    steps : generator
    """

    result: T

    def __init__(self, steps: Steps[T]) -> None:
        self._steps = steps
        self._waited: Waited | None = None
        self._done = False

    def advance(self) -> bool:
        """Take the steps that need no waiting, and tell whether it is at its end."""
        while not self._done:
            if self._waited is not None and not self._waited.test():
                return False
            try:
                self._waited = next(self._steps)
            except StopIteration as end:
                self.result = end.value
                self._done = True
        return True

    def finish(self, timeout: float, late: Callable[[Sequence[int]], Exception]) -> T:
        """Wait for its end, and return the result.

        Parameters
        ----------
        timeout : float
            Seconds.
        late : callable
            From the ranks that have not come in time to the exception that is raised.
        """
        began = time.monotonic()
        while not self.advance():
            elapsed = time.monotonic() - began
            if elapsed > timeout:
                raise late(self._waited.missing() if self._waited is not None else ())
            if elapsed < _AWAKE:
                os.sched_yield()
            else:
                time.sleep(min(elapsed * _NAP, _LONGEST_NAP))
        return self.result
