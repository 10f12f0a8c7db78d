"""`MultiWorkerIter`: ordered batches from a `multiprocessing` pool of the program.

`DataLoader` has its own workers and does not use it. It exists as a base class of iterators in
programs written for MXNet, such as GluonCV's random transforms.
"""

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any


class MultiWorkerIter:
    """One iteration over batches that the processes of a pool load ahead.

    Parameters
    ----------
    worker_pool : multiprocessing.pool.Pool
    batchify_fn : callable
    batch_sampler : iterable of lists of indices
    pin_memory, pin_device_id
        Ignored; no device benefits from pinned memory.
    worker_fn : callable
        Called in the pool with indices, `batchify_fn` and `dataset`; returns a pickled batch, or
        the batch itself if `dataset` is given.
    prefetch : int, default 0
        Number of batches requested before the first is used.
    dataset : optional
        Given if the pool consists of threads.
    data_loader : optional
        Kept alive during the iteration.
    timeout : float, default 120
        Seconds to wait for a batch.
    """

    def __init__(
        self,
        worker_pool: Any,
        batchify_fn: Callable[[Any], Any],
        batch_sampler: Iterable[Sequence[int]],
        pin_memory: bool = False,
        pin_device_id: int = 0,
        worker_fn: Callable[..., Any] | None = None,
        prefetch: int = 0,
        dataset: Any = None,
        data_loader: Any = None,
        timeout: float = 120,
    ) -> None:
        if worker_fn is None:
            raise TypeError("_MultiWorkerIter: pass worker_fn, which loads a batch in the pool")
        self._worker_pool = worker_pool
        self._batchify_fn = batchify_fn
        self._batch_sampler = batch_sampler
        self._worker_fn = worker_fn
        self._dataset = dataset
        self._data_loader = data_loader
        self._timeout = timeout
        self._iter: Iterator[Sequence[int]] = iter(batch_sampler)
        self._data_buffer: dict[int, Any] = {}
        self._sent_idx = self._rcvd_idx = 0
        for _ in range(prefetch):
            self._push_next()

    def __len__(self) -> int:
        return len(self._batch_sampler)  # type: ignore[arg-type]

    def __iter__(self) -> "MultiWorkerIter":
        return self

    def __next__(self) -> Any:
        self._push_next()
        if self._rcvd_idx == self._sent_idx:
            raise StopIteration
        loaded = self._data_buffer.pop(self._rcvd_idx).get(self._timeout)
        self._rcvd_idx += 1
        return pickle.loads(loaded) if self._dataset is None else loaded

    next = __next__

    def _push_next(self) -> None:
        """Request another batch, if there is one; programs override this."""
        indices = next(self._iter, None)
        if indices is None:
            return
        self._data_buffer[self._sent_idx] = self._worker_pool.apply_async(
            self._worker_fn, (indices, self._batchify_fn, self._dataset)
        )
        self._sent_idx += 1
