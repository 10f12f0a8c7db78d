"""Batches that threads fill ahead of their use: a queue with a bound, in order.

A batch is cut into tasks, so that all threads work on the batch that is needed next. What is made
depends on the batch alone, never on which thread made it.
"""

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Generic, TypeVar

__all__ = ["Ahead"]

Batch = TypeVar("Batch")
#: Rows of one task: enough to hide what a task costs, and few, so that no thread waits for long.
_ROWS = 8


class Ahead(Generic[Batch]):
    """Batches in order, some of which are being filled.

    Parameters
    ----------
    fill : callable
        ``fill(batch, start, stop)`` fills rows of a batch and returns those that failed.
    rows : int
        Rows of a batch.
    threads : int
    depth : int
        Batches that are filled ahead of the one in use.
    """

    def __init__(
        self, fill: Callable[[Batch, int, int], list[Any]], rows: int, threads: int, depth: int
    ) -> None:
        self._fill = fill
        self._cuts = [(start, min(start + _ROWS, rows)) for start in range(0, rows, _ROWS)]
        self._depth = depth
        self._executor = ThreadPoolExecutor(threads, "opforge-record-iter")
        self._batches: Iterator[Batch] = iter(())
        self._pending: deque[tuple[Batch, list[Future[list[Any]]]]] = deque()

    def start(self, batches: Iterator[Batch]) -> None:
        """Drop what is pending, and begin with other batches."""
        self._drop()
        self._batches = batches
        while len(self._pending) < self._depth and self._ask():
            pass

    def next(self) -> tuple[Batch, list[Any]] | None:
        """Return the next batch and what failed in it; None at the end.

        Raises what `fill` raised for it; the call after that goes on behind it.
        """
        self._ask()
        if not self._pending:
            return None
        batch, futures = self._pending.popleft()
        for future in futures:
            future.exception()  # all have ended before anything is raised
        return batch, [failure for future in futures for failure in future.result()]

    def close(self) -> None:
        """Drop what is pending; wait for what is being filled."""
        self._drop()
        self._batches = iter(())
        self._executor.shutdown(cancel_futures=True)

    def __del__(self) -> None:
        self._drop()

    def _drop(self) -> None:
        while self._pending:
            for future in self._pending.popleft()[1]:
                future.cancel()

    def _ask(self) -> bool:
        for batch in self._batches:
            futures = [self._executor.submit(self._fill, batch, *cut) for cut in self._cuts]
            self._pending.append((batch, futures))
            return True
        return False
