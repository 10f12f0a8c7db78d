"""Samplers that assign the samples of a data set to ranks."""

from collections.abc import Iterator

import numpy as np

from ..collectives.session import world

__all__ = ["SplitSampler", "split_sampler"]


class SplitSampler:
    """Sampler of every n-th sample of an order common to n parts, for a `DataLoader`.

    At each step, the batches of B samples of N parts form the batch of N * B samples that a single
    part would have.

    Parameters
    ----------
    length : int
        Length of the data set.
    num_parts, part_index : int
        Number of parts, and the index of this one, from 0.
    shuffle : bool, default True
        Use a different random order in each epoch.
    seed : int, default 0
        Seed of the orders; must be equal for all parts.
    even : bool, default True
        Give all parts the same number of samples; the remaining ones, fewer than `num_parts`, are
        dropped, different ones in each epoch. If False, each sample is in one part, as needed for
        evaluation.

    Attributes
    ----------
    epoch : int
        Index of the next epoch. Set it to continue an earlier run.

    Raises
    ------
    ValueError
        `part_index` is out of range.

    Examples
    --------
    >>> parts = [SplitSampler(7, 2, part, shuffle=False, even=False) for part in range(2)]
    >>> [list(part) for part in parts]
    [[0, 2, 4, 6], [1, 3, 5]]
    >>> len(SplitSampler(7, 2, 0))
    3
    """

    def __init__(
        self,
        length: int,
        num_parts: int = 1,
        part_index: int = 0,
        shuffle: bool = True,
        seed: int = 0,
        even: bool = True,
    ) -> None:
        if not 0 <= part_index < num_parts:
            raise ValueError(
                f"SplitSampler: got part_index={part_index} with num_parts={num_parts}; expected 0 "
                f"to {num_parts - 1}"
            )
        self._length = length
        self._num_parts = num_parts
        self._part_index = part_index
        self._shuffle = shuffle
        self._seed = seed
        self._used = length - length % num_parts if even else length
        self.epoch = 0

    def __iter__(self) -> Iterator[int]:
        order = np.arange(self._length)
        if self._shuffle:
            np.random.default_rng((self._seed, self.epoch)).shuffle(order)
        self.epoch += 1
        return iter(order[: self._used][self._part_index :: self._num_parts].tolist())

    def __len__(self) -> int:
        return len(range(self._part_index, self._used, self._num_parts))


def split_sampler(
    length: int, shuffle: bool = True, seed: int = 0, even: bool = True
) -> SplitSampler:
    """Return the `SplitSampler` of this rank.

    Parameters
    ----------
    length : int
        Length of the data set.
    shuffle, seed, even
        See `SplitSampler`; must be equal on all ranks.

    Examples
    --------
    >>> from opforge import gluon
    >>> data = gluon.data.ArrayDataset([0, 1, 2, 3])
    >>> loader = gluon.data.DataLoader(data, 2, sampler=split_sampler(len(data)))
    >>> len(loader)
    2
    """
    ranks = world()
    return SplitSampler(length, ranks.size, ranks.rank, shuffle, seed, even)
