"""Waiting for other ranks without taking the processor from them, and with a time limit.

A collective is a generator that yields the objects it waits for. Its driver decides whether to run
it to its end, or as far as possible now while something else is computed.
"""

import os
import time
from collections.abc import Callable, Generator, Sequence
from typing import Any, Generic, Protocol, TypeVar

__all__ = ["Collective", "Pending", "Requests", "Steps"]

T = TypeVar("T")

#: Seconds of each step during which the processor is only yielded, to catch quick responses.
_SPIN = 1e-3
#: Afterwards the process sleeps for this fraction of the step's time so far, up to a maximum.
#: Messages may be sent in pieces that need both sides to run: long sleeps would slow them down.
_SLEEP_FRACTION, _MAX_SLEEP = 0.002, 2e-3
#: A poll that takes longer than this has moved data, and there may be more: over TCP a poll moves
#: 64 KiB, however much has arrived.
_BUSY_POLL = 8e-6


class Pending(Protocol):
    """Event to wait for."""

    def test(self) -> bool:
        """Make progress, and return whether the event has happened."""

    def missing(self) -> Sequence[int]:
        """Return the ranks that it waits for; empty if unknown."""


Steps = Generator[Pending, None, T]


class Requests:
    """MPI requests, each to or from one rank.

    Parameters
    ----------
    requests : list of mpi4py.MPI.Request
    ranks : list of int
        Peer of each request; empty if requests have several.
    """

    def __init__(self, requests: Sequence[Any], ranks: Sequence[int] = ()) -> None:
        self._requests = list(requests)
        self._ranks = ranks

    def test(self) -> bool:
        """Let MPI make progress, and return whether all requests are complete."""
        if not self._requests:
            return True
        first = self._requests[0]
        while True:
            start = time.perf_counter()
            if first.Testall(self._requests):
                return True
            if time.perf_counter() - start < _BUSY_POLL:
                return False

    def missing(self) -> Sequence[int]:
        """Return the ranks whose requests are not complete."""
        done = [request.Test() for request in self._requests]
        return sorted({r for r, over in zip(self._ranks, done, strict=False) if not over})


class Collective(Generic[T]):
    """Collective in progress.

    Parameters
    ----------
    steps : generator
    """

    result: T

    def __init__(self, steps: Steps[T]) -> None:
        self._steps = steps
        self._pending: Pending | None = None
        self._step_began = 0.0
        self._done = False

    @property
    def is_done(self) -> bool:
        """True if the collective has ended."""
        return self._done

    def advance(self) -> bool:
        """Take the steps that need no waiting, and return whether the collective has ended."""
        while not self._done:
            if self._pending is not None and not self._pending.test():
                return False
            try:
                self._pending = next(self._steps)
                self._step_began = time.monotonic()
            except StopIteration as end:
                self.result = end.value
                self._done = True
        return True

    def finish(self, timeout: float, late: Callable[[Sequence[int]], Exception]) -> T:
        """Wait for the end of the collective, and return its result.

        Parameters
        ----------
        timeout : float
            Seconds.
        late : callable
            Given the ranks that have not arrived in time, returns the exception to raise.
        """
        began = time.monotonic()
        while not self.advance():
            now = time.monotonic()
            if now - began > timeout:
                raise late(self._pending.missing() if self._pending is not None else ())
            elapsed = now - max(began, self._step_began)
            if elapsed < _SPIN:
                os.sched_yield()
            else:
                time.sleep(min(elapsed * _SLEEP_FRACTION, _MAX_SLEEP))
        return self.result
