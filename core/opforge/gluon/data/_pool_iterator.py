"""`MultiWorkerIter`: batches of a `multiprocessing` pool of a program's own, in order.

`DataLoader` has workers of its own and does not use it: it is what programs for MXNet derive their
iterators from, such as GluonCV's of random transformations.
"""

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any


class MultiWorkerIter:
    """One iteration over the batches that a pool's processes load ahead.

    Parameters
    ----------
    worker_pool : multiprocessing.pool.Pool
    batchify_fn : callable
    batch_sampler : iterable of lists of indices
    pin_memory, pin_device_id
        Accepted; there is no device whose copies would gain.
    worker_fn : callable
        Run in the pool with indices, `batchify_fn` and `dataset`; returns a pickled batch, or
        where `dataset` is given the batch itself.
    prefetch : int, default 0
        Batches asked for before the first is used.
    dataset : optional
        Given where the pool consists of threads.
    data_loader : optional
        Kept alive for as long as the iteration.
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
            raise TypeError("_MultiWorkerIter: give worker_fn, which loads a batch in the pool")
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
        """Ask for one more batch, unless all are asked for; programs override it."""
        indices = next(self._iter, None)
        if indices is None:
            return
        self._data_buffer[self._sent_idx] = self._worker_pool.apply_async(
            self._worker_fn, (indices, self._batchify_fn, self._dataset)
        )
        self._sent_idx += 1
