"""Waiting for other ranks without taking the processor from them, and never for ever.

A collective is a generator that yields what it waits for. Whoever drives it decides how: to the
end, as `finish` does, or a step now and a step then while something else is computed.
"""

import os
import time
from collections.abc import Callable, Generator, Sequence
from typing import Protocol, TypeVar

__all__ = ["Requests", "Steps", "Waited", "finish"]

T = TypeVar("T")

#: Attempts that only yield the processor. What answers at once is met without falling asleep.
_EAGER = 200
#: Seconds of the first and of the longest nap after them; each is a tenth longer than the last.
_FIRST_NAP, _LONGEST_NAP = 20e-6, 2e-3


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


def finish(steps: Steps[T], timeout: float, late: Callable[[Sequence[int]], Exception]) -> T:
    """Drive a collective to its end and return its result.

    Parameters
    ----------
    steps : generator
    timeout : float
        Seconds to wait for one thing.
    late : callable
        From the ranks that have not come to the error.

    Raises
    ------
    Exception
        What `late` returns: something has not happened in time.
    """
    try:
        while True:
            waited = next(steps)
            if not _happens(waited, timeout):
                missing = waited.missing()
                raise late(missing)
    except StopIteration as end:
        result: T = end.value
        return result


def _happens(waited: Waited, timeout: float) -> bool:
    for _ in range(_EAGER):
        if waited.test():
            return True
        os.sched_yield()
    deadline = time.monotonic() + timeout
    nap = _FIRST_NAP
    while not waited.test():
        if time.monotonic() > deadline:
            return False
        time.sleep(nap)
        nap = min(nap * 1.1, _LONGEST_NAP)
    return True
