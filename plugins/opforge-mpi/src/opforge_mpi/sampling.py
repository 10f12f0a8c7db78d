"""Which samples of a data set each rank trains on."""

from collections.abc import Iterator

import numpy as np

from .running import world

__all__ = ["SplitSampler", "split_sampler"]


class SplitSampler:
    """Every so many-th sample of an order that all parts share; a `sampler` for a DataLoader.

    With batches of B, the batches of N parts are together the batch of N * B that one part alone
    has, at each step.

    Parameters
    ----------
    length : int
        Of the data set.
    num_parts, part_index : int
        How many parts there are, and which of them this is, from 0.
    shuffle : bool, default True
        Whether each epoch has an order of its own.
    seed : int, default 0
        Of the orders; the same for all parts.
    even : bool, default True
        All parts have equally many samples; what remains, fewer than there are parts, is left out,
        other samples in each epoch. False: each sample is in one part, as a test needs it.

    Attributes
    ----------
    epoch : int
        Of the next iteration. Set it to go on where an earlier run ended.

    Raises
    ------
    ValueError
        There is no such part.

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
                f"SplitSampler: got part_index={part_index} of num_parts={num_parts}, expected 0 "
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
        Of the data set.
    shuffle, seed, even
        As of `SplitSampler`; the same on all ranks.

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
