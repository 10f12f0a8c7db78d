"""Batches that the engine loads ahead: the counterpart of `_threads` without threads of its own."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Any

from ...native.array import Var, push
from ._workers import load_batch

__all__ = ["EnginePool"]


class EnginePool:
    """Tasks of the engine that load batches of one dataset, while Python does something else.

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
        """Ask for the batch at `indices`; `seed` is not used: a task has its own random numbers."""
        loaded: Future[Any] = Future()

        def load() -> None:
            if loaded.set_running_or_notify_cancel():
                try:
                    loaded.set_result(load_batch(self._dataset, self._batchify_fn, indices))
                except BaseException as error:
                    # Not the engine's to keep: nobody shall hear of a batch that nobody asks for.
                    loaded.set_exception(error)

        done = Var()
        push(load, write=[done])
        return done, loaded

    def result(self, ticket: tuple[Var, "Future[Any]"], timeout: float | None) -> Any:
        """Return the batch of `ticket`, or raise what the dataset raised; waits without limit."""
        done, loaded = ticket
        done.wait_to_read()
        return loaded.result()

    def discard(self, tickets: Sequence[tuple[Var, "Future[Any]"]]) -> None:
        """Cancel what has not begun."""
        for _, loaded in tickets:
            loaded.cancel()
