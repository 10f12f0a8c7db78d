"""Samplers: iterables of sample indices, and of batches of them.

Shuffling uses NumPy's global generator, as in MXNet; `numpy.random.seed` makes it reproducible.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

__all__ = ["BatchSampler", "FilterSampler", "RandomSampler", "Sampler", "SequentialSampler"]


class Sampler:
    """Base class of samplers: override `__iter__` and `__len__`."""

    def __iter__(self) -> Iterator[Any]:
        """Iterate over the indices; each call starts from the beginning."""
        raise NotImplementedError(f"{type(self).__name__} must define __iter__(self)")

    def __len__(self) -> int:
        """Return the number of indices in one iteration."""
        raise NotImplementedError(f"{type(self).__name__} must define __len__(self)")


class SequentialSampler(Sampler):
    """The indices ``start, ..., start + length - 1`` in order.

    Parameters
    ----------
    length : int
    start : int, default 0

    Examples
    --------
    >>> list(SequentialSampler(3))
    [0, 1, 2]
    """

    def __init__(self, length: int, start: int = 0) -> None:
        self._indices = range(start, start + length)

    def __iter__(self) -> Iterator[int]:
        return iter(self._indices)

    def __len__(self) -> int:
        return len(self._indices)


class RandomSampler(Sampler):
    """The indices ``0, ..., length - 1`` in a new random order in each iteration.

    Parameters
    ----------
    length : int
    """

    def __init__(self, length: int) -> None:
        self._length = length

    def __iter__(self) -> Iterator[int]:
        return iter(np.random.permutation(self._length).tolist())

    def __len__(self) -> int:
        return self._length


class FilterSampler(Sampler):
    """The indices of the samples for which a function is true, in order.

    Parameters
    ----------
    fn : callable
        Called once with each sample of `dataset`, when the sampler is created.
    dataset : Dataset
    """

    def __init__(self, fn: Callable[[Any], bool], dataset: Any) -> None:
        self._indices = [i for i in range(len(dataset)) if fn(dataset[i])]

    def __iter__(self) -> Iterator[int]:
        return iter(self._indices)

    def __len__(self) -> int:
        return len(self._indices)


class BatchSampler(Sampler):
    """Lists of `batch_size` indices from another sampler.

    Parameters
    ----------
    sampler : Sampler
        Sampler, or another iterable of indices with a length.
    batch_size : int > 0
    last_batch : {'keep', 'discard', 'rollover'}, default 'keep'
        Treatment of an incomplete last batch: it is yielded, dropped, or prepended to the next
        iteration.

    Raises
    ------
    ValueError
        `batch_size` is not positive or `last_batch` is not one of the three values.

    Examples
    --------
    >>> list(BatchSampler(SequentialSampler(5), 2))
    [[0, 1], [2, 3], [4]]
    """

    def __init__(self, sampler: Any, batch_size: int, last_batch: str = "keep") -> None:
        if last_batch not in ("keep", "discard", "rollover"):
            raise ValueError(
                f"last_batch must be one of 'keep', 'discard', or 'rollover', but got {last_batch}"
            )
        if batch_size < 1:
            raise ValueError(f"batch_size must be at least 1, got {batch_size}")
        self._sampler = sampler
        self._batch_size = batch_size
        self._last_batch = last_batch
        self._left_over: list[int] = []

    def __iter__(self) -> Iterator[list[int]]:
        batch, self._left_over = self._left_over, []
        for index in self._sampler:
            batch.append(index)
            if len(batch) == self._batch_size:
                yield batch
                batch = []
        if batch and self._last_batch == "keep":
            yield batch
        elif self._last_batch == "rollover":
            self._left_over = batch

    def __len__(self) -> int:
        length = len(self._sampler)
        if self._last_batch == "keep":
            return -(-length // self._batch_size)
        return (length + len(self._left_over)) // self._batch_size
