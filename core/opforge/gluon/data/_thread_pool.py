"""Worker threads that load batches: the counterpart of `_workers` within one process."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeoutError
from typing import Any

from ._workers import LoaderTimeoutError, load_batch

__all__ = ["ThreadPool"]


class ThreadPool:
    """Threads that load batches of one dataset; useful if samples are read without the GIL.

    Parameters
    ----------
    dataset : Dataset
    batchify_fn : callable
    count : int > 0
        Number of threads.
    """

    def __init__(self, dataset: Any, batchify_fn: Callable[[Any], Any], count: int) -> None:
        self._dataset = dataset
        self._batchify_fn = batchify_fn
        self._executor = ThreadPoolExecutor(count, "opforge-loader")
        self.usable = True

    def submit(self, indices: Sequence[int], seed: int) -> "Future[Any]":
        """Request the batch at `indices`; `seed` is unused because threads share a generator."""
        return self._executor.submit(load_batch, self._dataset, self._batchify_fn, indices)

    def result(self, ticket: "Future[Any]", timeout: float | None) -> Any:
        """Return the batch of `ticket`, or raise the dataset's error."""
        try:
            return ticket.result(timeout)
        except FutureTimeoutError:
            if ticket.done():
                raise
            raise LoaderTimeoutError(
                f"DataLoader: its threads returned no batch within {timeout} s; pass a larger "
                "timeout, or use num_workers=0 to find out where the dataset blocks"
            ) from None

    def discard(self, tickets: Sequence["Future[Any]"]) -> None:
        """Cancel batches that have not been started."""
        for ticket in tickets:
            ticket.cancel()

    def close(self) -> None:
        """Stop the threads after their current batches."""
        self.usable = False
        self._executor.shutdown(wait=False, cancel_futures=True)
