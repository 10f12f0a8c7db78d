"""Waiting for other ranks without taking the processor from them, and never for ever.

A collective is a generator that yields what it waits for. Whoever drives it decides how: to its
end, or as far as it goes now while something else is computed.
"""

import os
import time
from collections.abc import Callable, Generator, Sequence
from typing import Any, Generic, Protocol, TypeVar

__all__ = ["Collective", "Requests", "Steps", "Waited"]

T = TypeVar("T")

#: Seconds of each step in which the processor is only offered to others: what answers at once is
#: met awake.
_AWAKE = 1e-3
#: After them come naps of this share of the step's time so far, and of so many seconds at most.
#: Messages may travel in pieces that need both sides awake: long naps would make them crawl.
_NAP, _LONGEST_NAP = 0.002, 2e-3
#: A look that takes so many seconds has moved something, and there may be more: over TCP it moves
#: 64 KiB, however much has come.
_MOVING = 8e-6


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

    def __init__(self, requests: Sequence[Any], ranks: Sequence[int] = ()) -> None:
        self._requests = list(requests)
        self._ranks = ranks

    def test(self) -> bool:
        """Let MPI make progress, and tell whether all are complete."""
        if not self._requests:
            return True
        first = self._requests[0]
        while True:
            began = time.perf_counter()
            if first.Testall(self._requests):
                return True
            if time.perf_counter() - began < _MOVING:
                return False

    def missing(self) -> Sequence[int]:
        """Return the ranks whose requests are not complete."""
        done = [request.Test() for request in self._requests]
        return sorted({r for r, over in zip(self._ranks, done, strict=False) if not over})


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
        self._step_began = 0.0
        self._done = False

    @property
    def is_done(self) -> bool:
        """Return whether it has ended."""
        return self._done

    def advance(self) -> bool:
        """Take the steps that need no waiting, and tell whether it is at its end."""
        while not self._done:
            if self._waited is not None and not self._waited.test():
                return False
            try:
                self._waited = next(self._steps)
                self._step_began = time.monotonic()
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
            now = time.monotonic()
            if now - began > timeout:
                raise late(self._waited.missing() if self._waited is not None else ())
            elapsed = now - max(began, self._step_began)
            if elapsed < _AWAKE:
                os.sched_yield()
            else:
                time.sleep(min(elapsed * _NAP, _LONGEST_NAP))
        return self.result
