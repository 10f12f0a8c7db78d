"""Gradients of all ranks, which travel in two bits a value."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from opforge.plugin_api import DTypeError, F, kernels

from .claims import Claim, described
from .messages import told_to_all
from .summing import cuts, parts_of_all, parts_to_all
from .waiting import Steps
from .world import World

__all__ = ["PackedRoom", "PackedSums"]

#: Values in a word.
_LANES = 16
#: Up to so many ranks each gets the words of all; more would get more bytes than sums have.
_FEW = 16


class _Words:
    """Words that this rank sends, 16 values each, and the sum over all ranks.

    Parameters
    ----------
    world : World
    count : int
        Of words.
    """

    def __init__(self, world: World, count: int) -> None:
        self._world = world
        self.mine = np.zeros(count, np.int32)
        self.total = np.zeros(count * _LANES, np.float32)

    def sum(self, threshold: float) -> Steps[None]:
        """Add what all ranks send, from the first to the last."""
        if self._world.size <= _FEW:
            yield from self._of_few(threshold)
        else:
            yield from self._of_many(threshold)

    def _of_few(self, threshold: float) -> Steps[None]:
        """Get the words of all ranks."""
        comm = self._world.comm
        words = np.empty((comm.size, self.mine.size), np.int32)
        yield from told_to_all(comm, self.mine, words)
        _unpack(list(words), self.total, threshold)

    def _of_many(self, threshold: float) -> Steps[None]:
        """Get the words of a part from all ranks, and the sums of the other parts."""
        comm = self._world.comm
        ends = cuts(self.mine.size, comm.size)
        words = yield from parts_of_all(comm, self.mine, ends)
        ends = [end * _LANES for end in ends]
        _unpack(words, self.total[ends[comm.rank] : ends[comm.rank + 1]], threshold)
        yield from parts_to_all(comm, self.total, ends)


class PackedSums:
    """The sums of some gradients, which a program takes again and again.

    Parameters
    ----------
    world : World
    names : list of str
        What errors call them.
    gradients : list of NDArray
        Of which shapes are looked at.
    """

    def __init__(self, world: World, names: Sequence[Any], gradients: Sequence[Any]) -> None:
        self._world = world
        self._items = described(names, gradients)
        counts = [-(-gradient.size // _LANES) for gradient in gradients]
        ends = np.cumsum([0, *counts]).tolist()
        # Each gradient begins with a word of its own.
        self._words = _Words(world, ends[-1])
        mine, total = self._words.mine, self._words.total
        self._packed = [F.from_numpy(mine[begin:end]) for begin, end in pairwise(ends)]
        self._sums = [
            F.from_numpy(total[begin * _LANES :][: gradient.size].reshape(gradient.shape))
            for begin, gradient in zip(ends, gradients, strict=False)
        ]

    def sum(self, compression: Any, places: Sequence[Any], gradients: Sequence[Any]) -> list[Any]:
        """Return what arrives of the gradients of all ranks, added from the first to the last.

        Parameters
        ----------
        compression : TwoBitCompression
        places : list
            Under which it keeps what is not sent.
        gradients : list of NDArray

        Returns
        -------
        list of NDArray
            They are overwritten by the next sum.
        """
        for place, gradient, words in zip(places, gradients, self._packed, strict=True):
            compression.pack(place, gradient, words)
        threshold = compression.threshold
        self._world.run(self._words.sum(threshold), _claim(threshold, self._items))
        return self._sums


class PackedRoom:
    """A room whose addends travel in two bits a value; what is not sent is kept for the next step.

    Parameters
    ----------
    world : World
    length : int
    dtype : numpy.dtype
        float32.
    claim : Claim
    threshold : float
        What is sent of a value: this, its negative or nothing.

    Raises
    ------
    DTypeError
        The type is another one.
    """

    def __init__(
        self, world: World, length: int, dtype: np.dtype, claim: Claim, threshold: float
    ) -> None:
        if dtype != np.float32:
            raise DTypeError(
                f"gradient compression: got {claim.items[0]}, expected float32; cast the network, "
                "or train without compression_params"
            )
        self._world = world
        self._claim = _claim(threshold, claim.items)
        self._threshold = threshold
        self._words = _Words(world, -(-length // _LANES))
        self.own, self.total = np.zeros(length, dtype), self._words.total[:length]
        self._rest, self._before = np.zeros(length, dtype), np.zeros(length, dtype)
        every = (self.own, self._rest, self._words.mine)
        self._arrays = [F.from_numpy(one[:]) for one in every]  # of views: what is given is locked
        self._is_open = False

    def sum(self) -> Steps[None]:
        """Add what arrives of the addends of all ranks."""
        yield from self._world.meet(self._claim)
        # What the step before has left: a sum may be taken again, of other addends.
        if self._is_open:
            self._rest[:] = self._before
        else:
            self._before[:] = self._rest
        self._is_open = True
        kernels.pack_two_bits(*self._arrays, self._threshold)
        yield from self._words.sum(self._threshold)

    def settle(self) -> None:
        """Keep what the last sum has left for the next step."""
        self._is_open = False


def _claim(threshold: float, items: tuple[str, ...]) -> Claim:
    return Claim(f"sum in two bits, of threshold {threshold:g},", items)


def _unpack(words: Sequence[np.ndarray], total: np.ndarray, threshold: float) -> None:
    """Add what words say, from the first to the last."""
    out = F.from_numpy(total)
    for rank, row in enumerate(words):
        req = "add" if rank else "write"
        kernels.unpack_two_bits(F.from_numpy(row), out, threshold, req=req)
