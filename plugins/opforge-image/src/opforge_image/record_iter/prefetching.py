"""Bounded, ordered queue of batches that threads fill ahead of use.

Batches are split into tasks, so that all threads work on the batch that is needed next. Results
depend only on the batch, never on the thread.
"""

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Generic, TypeVar

__all__ = ["Prefetcher"]

Batch = TypeVar("Batch")
#: Rows per task: enough to hide the cost of a task, and few enough to balance the threads.
_ROWS = 8


class Prefetcher(Generic[Batch]):
    """Iterator over batches that are filled ahead by threads, in order.

    Parameters
    ----------
    fill : callable
        ``fill(batch, start, stop)`` fills rows of a batch and returns those that failed.
    rows : int
        Number of rows of a batch.
    threads : int
    depth : int
        Number of batches to fill ahead of the one in use.
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
        """Drop pending batches and start with new ones."""
        self._drop()
        self._batches = batches
        while len(self._pending) < self._depth and self._submit_next():
            pass

    def next(self) -> tuple[Batch, list[Any]] | None:
        """Return the next batch and its failures, or None at the end.

        Raises the exception that `fill` raised for the batch; the next call returns the following
        batch.
        """
        self._submit_next()
        if not self._pending:
            return None
        batch, futures = self._pending.popleft()
        for future in futures:
            future.exception()  # wait for all tasks before raising
        return batch, [failure for future in futures for failure in future.result()]

    def close(self) -> None:
        """Drop pending batches and wait for running tasks."""
        self._drop()
        self._batches = iter(())
        self._executor.shutdown(cancel_futures=True)

    def __del__(self) -> None:
        self._drop()

    def _drop(self) -> None:
        while self._pending:
            for future in self._pending.popleft()[1]:
                future.cancel()

    def _submit_next(self) -> bool:
        for batch in self._batches:
            futures = [self._executor.submit(self._fill, batch, *cut) for cut in self._cuts]
            self._pending.append((batch, futures))
            return True
        return False
