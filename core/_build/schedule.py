"""Run the jobs of a build on a fixed number of threads, the most expensive first."""

import heapq
import itertools
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass

__all__ = ["Job", "run"]


@dataclass(frozen=True)
class Job:
    """A piece of work and its estimated cost, in any unit.

    `work` returns the jobs that can start once it is done.
    """

    cost: float
    work: Callable[[], Iterable["Job"]]


class _Queue:
    """Jobs that wait for a thread, and the number of those that run."""

    def __init__(self, jobs: Iterable[Job]) -> None:
        self._changed = threading.Condition()
        self._numbers = itertools.count()  # ties are taken in order of arrival
        self._waiting: list[tuple[float, int, Job]] = []
        self._running = 0
        self.failure: BaseException | None = None
        for job in jobs:
            self._push(job)

    def _push(self, job: Job) -> None:
        heapq.heappush(self._waiting, (-job.cost, next(self._numbers), job))

    def _take(self) -> Job | None:
        """Return the next job, or None once there will be no more."""
        with self._changed:
            while not self._waiting and self._running and self.failure is None:
                self._changed.wait()
            if self.failure is not None or not self._waiting:
                return None
            self._running += 1
            return heapq.heappop(self._waiting)[-1]

    def work(self) -> None:
        """Run jobs until none are left or one has failed."""
        while (job := self._take()) is not None:
            added: Iterable[Job] = ()
            try:
                added = list(job.work())
            except BaseException as failure:  # raised again by `run`
                self.failure = self.failure or failure
            with self._changed:
                for item in added:
                    self._push(item)
                self._running -= 1
                self._changed.notify_all()


def run(jobs: Iterable[Job], threads: int) -> None:
    """Run `jobs` and those they add; after a failure start no more, and raise it."""
    queue = _Queue(jobs)
    helpers = [threading.Thread(target=queue.work) for _ in range(threads)]
    for helper in helpers:
        helper.start()
    for helper in helpers:
        helper.join()
    if queue.failure is not None:
        raise queue.failure
