"""`PackedSums`: gradients of all ranks, which travel in two bits a value."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from opforge.plugin_api import F, kernels

from .claims import Claim, described
from .messages import told_to_all
from .summing import cuts, parts_of_all, parts_to_all
from .waiting import Steps
from .world import World

__all__ = ["PackedSums"]

#: Values in a word.
_LANES = 16
#: Up to so many ranks each gets the words of all; more would get more bytes than sums have.
_FEW = 16


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
        self._words = np.zeros(ends[-1], np.int32)
        self._total = np.zeros(ends[-1] * _LANES, np.float32)
        self._packed = [F.from_numpy(self._words[begin:end]) for begin, end in pairwise(ends)]
        self._sums = [
            F.from_numpy(self._total[begin * _LANES :][: gradient.size].reshape(gradient.shape))
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
        sum_all = self._of_few if self._world.size <= _FEW else self._of_many
        claim = Claim(f"sum in two bits, of threshold {threshold:g},", self._items)
        self._world.run(sum_all(threshold), claim)
        return self._sums

    def _of_few(self, threshold: float) -> Steps[None]:
        """Get the words of all ranks."""
        comm = self._world.comm
        words = np.empty((comm.size, self._words.size), np.int32)
        yield from told_to_all(comm, self._words, words)
        _unpack(list(words), self._total, threshold)

    def _of_many(self, threshold: float) -> Steps[None]:
        """Get the words of a part from all ranks, and the sums of the other parts."""
        comm = self._world.comm
        ends = cuts(self._words.size, comm.size)
        words = yield from parts_of_all(comm, self._words, ends)
        ends = [end * _LANES for end in ends]
        _unpack(words, self._total[ends[comm.rank] : ends[comm.rank + 1]], threshold)
        yield from parts_to_all(comm, self._total, ends)


def _unpack(words: Sequence[np.ndarray], total: np.ndarray, threshold: float) -> None:
    """Add what words say, from the first to the last."""
    out = F.from_numpy(total)
    for rank, row in enumerate(words):
        req = "add" if rank else "write"
        kernels.unpack_two_bits(F.from_numpy(row), out, threshold, req=req)
