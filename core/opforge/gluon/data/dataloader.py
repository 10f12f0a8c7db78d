"""`DataLoader`: batches of a dataset, optionally loaded ahead by processes or threads."""

import pickle
import random
import weakref
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Never

import numpy as np

from ...base.module_aliases import add_aliases as _add_aliases
from ...base.name_hints import unexpected_arguments
from ...profiler.timing import timed
from ._engine_pool import EnginePool
from ._pool_iterator import MultiWorkerIter as _MultiWorkerIter  # noqa: F401  for programs
from ._thread_pool import ThreadPool
from ._workers import LoaderTimeoutError, WorkerPool, load_batch
from .batchify import default_batchify_fn
from .sampler import BatchSampler, RandomSampler, SequentialSampler

__all__ = ["DataLoader", "LoaderTimeoutError", "default_batchify_fn", "default_mp_batchify_fn"]

#: MXNet's name of the batching function in workers, which is the same one here.
default_mp_batchify_fn = default_batchify_fn


class DataLoader:
    """Iterate over a dataset in batches.

    Parameters
    ----------
    dataset : Dataset
        Object with ``len()`` and integer indexing.
    batch_size : int
        Number of samples in a batch; omitted if `batch_sampler` is given.
    shuffle : bool, default False
        Use a new random order in each iteration; reproducible with `numpy.random.seed`.
    sampler : Sampler, optional
        Order of the samples; excludes `shuffle`.
    last_batch : {'keep', 'discard', 'rollover'}, default 'keep'
        Treatment of an incomplete last batch.
    batch_sampler : Sampler, optional
        Yields lists of indices; excludes the four arguments above.
    batchify_fn : callable, default `default_batchify_fn`
        Combines a list of samples into a batch.
    num_workers : int, default 0
        Number of processes that load batches ahead. They are started by the first iteration and
        live until the loader is closed or collected. Each batch has its own random seed, so random
        augmentation neither repeats between workers nor depends on their number.
    pin_memory, pin_device_id
        Ignored; no device benefits from pinned memory.
    prefetch : int, default ``2 * num_workers``
        Number of batches to load ahead. Without workers, the engine loads them on a background
        thread, which is useful if samples are read or decoded without the GIL;
        `timeout` does not apply.
    thread_pool : bool, default False
        Use threads instead of processes.
    timeout : float, default 120
        Seconds to wait for a batch of a worker; None: no limit.
    auto_reload : bool, default False
        Start loading the first `prefetch` batches of the next iteration when one ends, and those of
        the first when the loader is created, so that an iteration begins without waiting. Samplers
        and seeds are then evaluated at that time instead of at the begin of the iteration.
    persistent_workers : bool, default False
        PyTorch's option to keep the workers between iterations. They are always kept; True without
        `num_workers` is an error. See `auto_reload` for iterations that start immediately.

    Raises
    ------
    ValueError
        Arguments exclude each other, or a size is not positive.

    Examples
    --------
    >>> from opforge.gluon.data import ArrayDataset
    >>> [batch.asnumpy().tolist() for batch in DataLoader(ArrayDataset([1, 2, 3]), 2)]
    [[1, 2], [3]]
    """

    def __init__(
        self,
        dataset: Any,
        batch_size: int | None = None,
        shuffle: bool = False,
        sampler: Iterable[int] | None = None,
        last_batch: str | None = None,
        batch_sampler: Iterable[Sequence[int]] | None = None,
        batchify_fn: Callable[[Any], Any] | None = None,
        num_workers: int = 0,
        pin_memory: bool = False,
        pin_device_id: int = 0,
        prefetch: int | None = None,
        thread_pool: bool = False,
        timeout: float | None = 120,
        auto_reload: bool = False,
        persistent_workers: bool = False,
        **unknown: Never,
    ) -> None:
        if unknown:
            raise unexpected_arguments(type(self), unknown)
        if num_workers < 0 or (prefetch or 0) < 0:
            raise ValueError(
                f"num_workers and prefetch must not be negative, got {num_workers} and {prefetch}"
            )
        if timeout is not None and timeout <= 0:
            raise ValueError(f"timeout must be positive, got {timeout}")
        if persistent_workers and not num_workers:
            raise ValueError(
                "DataLoader: persistent_workers=True needs workers, got num_workers=0. Pass "
                "num_workers=1 or more, or omit persistent_workers"
            )
        self._dataset = dataset
        self._batch_sampler = (
            _batch_sampler(dataset, batch_size, shuffle, sampler, last_batch)
            if batch_sampler is None
            else _exclusive(batch_sampler, batch_size, shuffle, sampler, last_batch)
        )
        self._batchify_fn = batchify_fn or default_batchify_fn
        self._num_workers = num_workers
        self._pin_memory = pin_memory  # read by loaders of programs that derive from this class
        self._prefetch = 2 * num_workers if prefetch is None else prefetch
        self._pool_type = ThreadPool if thread_pool else WorkerPool
        self._pool: ThreadPool | WorkerPool | None = None
        self._timeout = timeout
        # State of NumPy's generator in the last iteration, and how often it was there before.
        self._state, self._repeats = -1, 0
        self.auto_reload = auto_reload
        self._next: _PrefetchingIterator | None = (
            None  # the next iteration, where it has begun to load
        )
        if auto_reload and self._prefetch:
            self._reload()

    def __iter__(self) -> Iterator[Any]:
        """Start an iteration; several may run at the same time."""
        begun, self._next = self._next, None
        if begun is not None and begun.usable:
            return begun
        if not self._num_workers and not self._prefetch:
            return self._load_here()
        return self._load_ahead()

    def _load_ahead(self) -> "_PrefetchingIterator":
        loader = weakref.ref(self) if self.auto_reload and self._prefetch else None
        batches, seeds = self._batch_sampler, self._worker_seeds()
        if not self._num_workers:
            here = EnginePool(self._dataset, self._batchify_fn)
            return _PrefetchingIterator(here, batches, seeds, self._prefetch, None, loader)
        pool = self._running_pool()
        return _PrefetchingIterator(pool, batches, seeds, self._prefetch, self._timeout, loader)

    def _worker_seeds(self) -> random.Random:
        """Return the generator of the seeds of batches.

        It depends on the state of NumPy's generator and does not change it, so that the order of
        samples is the same with workers and without. Iterations between which nothing is drawn are
        counted.
        """
        state = zlib.crc32(pickle.dumps(np.random.get_state(legacy=False)))
        self._repeats = self._repeats + 1 if state == self._state else 0
        self._state = state
        return random.Random(state + (self._repeats << 32))

    def _reload(self) -> None:
        """Start loading the next iteration, unless that has begun."""
        if self._next is None or not self._next.usable:
            self._next = self._load_ahead()

    def refresh(self) -> None:
        """Start loading the first `prefetch` batches of the next iteration, from its beginning.

        Batches that were loaded ahead by then are discarded.
        """
        self._next = self._load_ahead() if self._prefetch else None

    def clean(self) -> None:
        """Discard batches that were loaded ahead; the next iteration loads its own."""
        self._next = None

    def __len__(self) -> int:
        """Return the number of batches in an iteration."""
        return len(self._batch_sampler)  # type: ignore[arg-type]

    def close(self) -> None:
        """Stop the workers; a later iteration starts new ones."""
        self._next = None
        if self._pool is not None:
            self._pool.close()
            self._pool = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_pool": None, "_next": None}

    def _load_here(self) -> Iterator[Any]:
        dataset, batchify_fn = self._dataset, self._batchify_fn
        for indices in self._batch_sampler:
            with timed("Data", "DataLoader.next"):
                batch = load_batch(dataset, batchify_fn, indices)
            yield batch

    def _running_pool(self) -> ThreadPool | WorkerPool:
        if self._pool is None or not self._pool.usable:
            self.close()
            self._pool = self._pool_type(self._dataset, self._batchify_fn, self._num_workers)
        return self._pool


class _PrefetchingIterator:
    """One iteration whose batches are loaded ahead by a pool, in order.

    When it ends, `loader`, if given, starts loading the next one.
    """

    def __init__(
        self,
        pool: Any,
        batches: Any,
        seeds: random.Random,
        prefetch: int,
        timeout: float | None,
        loader: "weakref.ref[DataLoader] | None",
    ) -> None:
        self._pool = pool
        self._loader = loader
        self._batches = iter(batches)
        self._timeout = timeout
        self._tickets: deque[Any] = deque()
        self._seeds = seeds
        for _ in range(prefetch):
            self._submit()

    def __iter__(self) -> "_PrefetchingIterator":
        return self

    def __next__(self) -> Any:
        self._submit()
        if not self._tickets:
            self._end()
            raise StopIteration
        with timed("Data", "DataLoader.next"):
            return self._pool.result(self._tickets.popleft(), self._timeout)

    def __del__(self) -> None:
        self._pool.discard(self._tickets)

    @property
    def usable(self) -> bool:
        """True if the pool can still load its batches."""
        return bool(self._pool.usable)

    def _end(self) -> None:
        loader = None if self._loader is None else self._loader()
        self._loader = None  # once
        if loader is not None:
            loader._reload()

    def _submit(self) -> None:
        for indices in islice(self._batches, 1):
            self._tickets.append(self._pool.submit(indices, self._seeds.getrandbits(32)))


def _batch_sampler(
    dataset: Any,
    batch_size: int | None,
    shuffle: bool,
    sampler: Iterable[int] | None,
    last_batch: str | None,
) -> Iterable[Sequence[int]]:
    if batch_size is None:
        raise ValueError("batch_size must be specified unless batch_sampler is specified")
    if sampler is None:
        sampler = RandomSampler(len(dataset)) if shuffle else SequentialSampler(len(dataset))
    elif shuffle:
        raise ValueError("shuffle must not be specified if sampler is specified")
    return BatchSampler(sampler, batch_size, last_batch or "keep")


def _exclusive(batch_sampler: Iterable[Sequence[int]], *others: Any) -> Iterable[Sequence[int]]:
    if any(other not in (None, False) for other in others):
        raise ValueError(
            "batch_size, shuffle, sampler and last_batch must not be specified if batch_sampler "
            "is specified."
        )
    return batch_sampler


_add_aliases(__name__)
