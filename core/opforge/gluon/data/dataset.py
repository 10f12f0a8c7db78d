"""Datasets: objects with a length and integer indexing, and views of them.

A view (`transform`, `filter`, `shard`, `take`, `sample`) is a dataset as well and copies no data.
Invariant: `gather` returns exactly the batch of the single samples, only faster.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from ... import ndarray as nd
from ...base.errors import ShapeError
from ...base.module_aliases import add_aliases as _add_aliases
from .sampler import FilterSampler, Sampler

__all__ = ["ArrayDataset", "Dataset", "SimpleDataset", "gather", "random_split"]


class Dataset:
    """Base class of datasets: override `__getitem__` and `__len__`.

    Examples
    --------
    >>> class Squares(Dataset):
    ...     def __len__(self):
    ...         return 4
    ...
    ...     def __getitem__(self, idx):
    ...         return range(4)[idx] ** 2
    >>> list(Squares().transform(lambda x: -x))
    [0, -1, -4, -9]
    """

    def __getitem__(self, idx: int) -> Any:
        """Return the sample at `idx`; raise IndexError after the last one."""
        raise NotImplementedError(f"{type(self).__name__} must define __getitem__(self, idx)")

    def __len__(self) -> int:
        """Return the number of samples."""
        raise NotImplementedError(f"{type(self).__name__} must define __len__(self)")

    def transform(self, fn: Callable[..., Any], lazy: bool = True) -> "Dataset":
        """Return the dataset of ``fn(sample)``.

        Parameters
        ----------
        fn : callable
            Called with the sample; a tuple is unpacked to several arguments.
        lazy : bool, default True
            Call `fn` each time a sample is read; False: call it once for all samples, now.
        """
        lazily = _TransformedDataset(self, fn)
        return lazily if lazy else SimpleDataset([lazily[i] for i in range(len(lazily))])

    def transform_first(self, fn: Callable[[Any], Any], lazy: bool = True) -> "Dataset":
        """Return the dataset with `fn` applied to the first part of each sample.

        This is the usual way to transform the data and keep the label.
        """
        return self.transform(_FirstOnly(fn), lazy)

    def filter(self, fn: Callable[[Any], bool]) -> "Dataset":
        """Return the samples for which ``fn(sample)`` is true; each sample is read once now."""
        return _SampledDataset(self, list(FilterSampler(fn, self)))

    def shard(self, num_shards: int, index: int) -> "Dataset":
        """Return part `index` of `num_shards` contiguous parts whose sizes differ by at most 1.

        Raises
        ------
        ValueError
            `num_shards` is not positive, or `index` is not in [0, num_shards).
        """
        if num_shards < 1 or not 0 <= index < num_shards:
            raise ValueError(
                f"shard: index {index} is not in [0, {num_shards}); num_shards must be positive"
            )
        size, extra = divmod(len(self), num_shards)
        start = size * index + min(index, extra)
        return _SampledDataset(self, range(start, start + size + (index < extra)))

    def take(self, count: int | None) -> "Dataset":
        """Return the first `count` samples; all if there are fewer or `count` is None."""
        length = len(self)
        return _SampledDataset(self, range(length if count is None else min(count, length)))

    def sample(self, sampler: Sampler) -> "Dataset":
        """Return the samples at the indices that `sampler` yields now, in that order.

        Raises
        ------
        TypeError
            `sampler` is not a `Sampler`.
        """
        if not isinstance(sampler, Sampler):
            raise TypeError(f"sample: expected a Sampler, got {type(sampler).__name__}")
        return _SampledDataset(self, list(sampler))


class SimpleDataset(Dataset):
    """A dataset over an object with a length and integer indexing, such as a list.

    Parameters
    ----------
    data : sequence
    """

    def __init__(self, data: Sequence[Any]) -> None:
        self._data = data

    def __len__(self) -> int:
        return len(self._data)

    def __getitem__(self, idx: int) -> Any:
        return self._data[idx]


class ArrayDataset(Dataset):
    """Samples whose parts are at the same index of several arrays or lists.

    Parameters
    ----------
    *args : NDArray, numpy.ndarray, Dataset, data frame or sequence
        All of the same length. One argument gives plain samples, several give tuples. A
        one-dimensional NDArray is read as NumPy scalars, so that labels are numbers.

    Raises
    ------
    ShapeError
        No array was given, or their lengths differ.

    Examples
    --------
    >>> from opforge.gluon.data import ArrayDataset
    >>> ArrayDataset([1, 2, 3], ["a", "b", "c"])[1]
    (2, 'b')
    """

    def __init__(self, *args: Any) -> None:
        if not args:
            raise ShapeError("ArrayDataset needs at least 1 array, got none")
        lengths = [len(array) for array in args]
        if len(set(lengths)) > 1:
            raise ShapeError(f"ArrayDataset: all arrays must have the same length, got {lengths}")
        self._length = lengths[0]
        self._data = [_numbers_as_numpy(array) for array in args]

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, idx: int) -> Any:
        if len(self._data) == 1:
            return self._data[0][idx]
        return tuple(array[idx] for array in self._data)

    def _gather(self, indices: Sequence[int]) -> Any:
        if not all(isinstance(array, (np.ndarray, nd.NDArray)) for array in self._data):
            return None
        parts = [_rows(array, indices) for array in self._data]
        return parts[0] if len(parts) == 1 else parts


class _TransformedDataset(Dataset):
    """Dataset that applies `fn` to each sample when it is read."""

    def __init__(self, data: Dataset, fn: Callable[..., Any]) -> None:
        self._data = data
        self._fn = fn

    def __len__(self) -> int:
        return len(self._data)

    def __getitem__(self, idx: int) -> Any:
        sample = self._data[idx]
        return self._fn(*sample) if isinstance(sample, tuple) else self._fn(sample)


class _SampledDataset(Dataset):
    """Samples of another dataset at given indices."""

    def __init__(self, data: Dataset, indices: Sequence[int]) -> None:
        self._data = data
        self._indices = indices

    def __len__(self) -> int:
        return len(self._indices)

    def __getitem__(self, idx: int) -> Any:
        return self._data[self._indices[idx]]

    def _gather(self, indices: Sequence[int]) -> Any:
        return gather(self._data, [self._indices[i] for i in indices])


class _FirstOnly:
    """Callable that transforms its first argument; a class, so that it can be pickled."""

    def __init__(self, fn: Callable[[Any], Any]) -> None:
        self._fn = fn

    def __call__(self, first: Any, *rest: Any) -> Any:
        return (self._fn(first), *rest) if rest else self._fn(first)


def gather(dataset: Any, indices: Sequence[int]) -> Any:
    """Return the batch that default batching of ``dataset[i] for i in indices`` would return.

    Returns
    -------
    NDArray or list of NDArray; None if the samples must be read one by one. A class that overrides
    `__getitem__` but not `_gather` never uses the `_gather` of its base class.
    """
    for cls in type(dataset).__mro__:
        members = vars(cls)
        if "_gather" in members:
            return dataset._gather(indices)
        if "__getitem__" in members:
            return None
    return None


def _numbers_as_numpy(array: Any) -> Any:
    if isinstance(array, nd.NDArray) and len(array.shape) == 1:
        return array.asnumpy()
    # The index of a sample is a position, which data frames and series look up by iloc.
    return array.to_numpy() if hasattr(array, "iloc") else array


def _rows(array: Any, indices: Iterable[int]) -> Any:
    rows = np.asarray(array)[np.asarray(indices, dtype=np.intp)]
    return nd.array(rows, dtype=rows.dtype)


_add_aliases(__name__)


def random_split(dataset: Dataset, lengths: Sequence[float]) -> list[Dataset]:
    """Return disjoint random parts of a dataset.

    Parameters
    ----------
    dataset : Dataset
    lengths : sequence of int or of float
        Sizes of the parts, with the size of the dataset as sum; or fractions with sum 1. Samples
        left over by rounding are added to the first parts.

    Returns
    -------
    list of Dataset
        Reproducible with `numpy.random.seed`.

    Raises
    ------
    ValueError
        The sizes or fractions have the wrong sum, or one is negative.

    Examples
    --------
    >>> train, validation = random_split(SimpleDataset(list(range(10))), [0.8, 0.2])
    >>> len(train), len(validation), sorted([*train, *validation]) == list(range(10))
    (8, 2, True)
    """
    sizes = _sizes(len(dataset), lengths)
    order = np.random.permutation(len(dataset)).tolist()
    starts = np.cumsum([0, *sizes]).tolist()
    return [
        _SampledDataset(dataset, order[start : start + size])
        for start, size in zip(starts, sizes, strict=False)
    ]


def _sizes(total: int, lengths: Sequence[float]) -> list[int]:
    """Return the sizes of the parts of `random_split`."""
    if any(length < 0 for length in lengths):
        raise ValueError(f"random_split: lengths {list(lengths)} must not be negative")
    if sum(lengths) == total and all(int(length) == length for length in lengths):
        return [int(length) for length in lengths]
    if not math.isclose(sum(lengths), 1, abs_tol=1e-6):
        raise ValueError(
            f"random_split: lengths {list(lengths)} add up to {sum(lengths)}; expected {total}, "
            "the number of samples, or fractions that add up to 1"
        )
    sizes = [int(total * fraction) for fraction in lengths]
    for at in range(total - sum(sizes)):
        sizes[at % len(sizes)] += 1
    return sizes
