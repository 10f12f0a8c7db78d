"""Prefetching by engine tasks: the counterpart of `_thread_pool` without its own threads."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Any

from ...native.array import Var, push
from ._workers import load_batch

__all__ = ["EnginePool"]


class EnginePool:
    """Engine tasks that load batches of one dataset in the background.

    Parameters
    ----------
    dataset : Dataset
    batchify_fn : callable
    """

    usable = True

    def __init__(self, dataset: Any, batchify_fn: Callable[[Any], Any]) -> None:
        self._dataset = dataset
        self._batchify_fn = batchify_fn

    def submit(self, indices: Sequence[int], seed: int) -> tuple[Var, "Future[Any]"]:
        """Request the batch at `indices`; `seed` is unused because tasks have their own streams."""
        loaded: Future[Any] = Future()

        def load() -> None:
            if loaded.set_running_or_notify_cancel():
                try:
                    loaded.set_result(load_batch(self._dataset, self._batchify_fn, indices))
                except BaseException as error:
                    # Not stored in the engine: the error of a discarded batch must not be raised.
                    loaded.set_exception(error)

        done = Var()
        push(load, write=[done])
        return done, loaded

    def result(self, ticket: tuple[Var, "Future[Any]"], timeout: float | None) -> Any:
        """Return the batch of `ticket`, or raise the dataset's error; waits without limit."""
        done, loaded = ticket
        done.wait_to_read()
        return loaded.result()

    def discard(self, tickets: Sequence[tuple[Var, "Future[Any]"]]) -> None:
        """Cancel batches that have not been started."""
        for _, loaded in tickets:
            loaded.cancel()
