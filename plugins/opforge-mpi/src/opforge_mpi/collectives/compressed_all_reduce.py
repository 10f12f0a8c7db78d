"""Sums of gradients that are sent with two bits per value."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from opforge.plugin_api import DTypeError, F, kernels

from ..transport.messages import all_gather_into
from ..transport.steps import Steps
from .all_reduce import all_gather_parts, all_to_all_parts, part_bounds
from .signature import CollectiveSignature, describe_arrays
from .world import World

__all__ = ["CompressedAllReduce", "CompressedAllReduceBuffer"]

#: Values per word.
_LANES = 16
#: Up to this number of ranks, each receives the words of all; beyond, that is more data than sums.
_MAX_DIRECT_RANKS = 16


class _Words:
    """Words of this rank, 16 values each, and the sum over all ranks.

    Parameters
    ----------
    world : World
    count : int
        Number of words.
    """

    def __init__(self, world: World, count: int) -> None:
        self._world = world
        self.mine = np.zeros(count, np.int32)
        self.total = np.zeros(count * _LANES, np.float32)

    def sum(self, threshold: float) -> Steps[None]:
        """Add the values of all ranks, from the first to the last."""
        if self._world.size <= _MAX_DIRECT_RANKS:
            yield from self._sum_directly(threshold)
        else:
            yield from self._sum_in_parts(threshold)

    def _sum_directly(self, threshold: float) -> Steps[None]:
        """Receive the words of all ranks, and add them."""
        comm = self._world.comm
        words = np.empty((comm.size, self.mine.size), np.int32)
        yield from all_gather_into(comm, self.mine, words)
        _unpack(list(words), self.total, threshold)

    def _sum_in_parts(self, threshold: float) -> Steps[None]:
        """Add one part of the words of all ranks, and receive the sums of the other parts."""
        comm = self._world.comm
        ends = part_bounds(self.mine.size, comm.size)
        words = yield from all_to_all_parts(comm, self.mine, ends)
        ends = [end * _LANES for end in ends]
        _unpack(words, self.total[ends[comm.rank] : ends[comm.rank + 1]], threshold)
        yield from all_gather_parts(comm, self.total, ends)


class CompressedAllReduce:
    """Sums of a fixed set of gradients, computed repeatedly.

    Parameters
    ----------
    world : World
    names : list of str
        Names of the gradients, for errors.
    gradients : list of NDArray
        Gradients whose shapes are used.
    """

    def __init__(self, world: World, names: Sequence[Any], gradients: Sequence[Any]) -> None:
        self._world = world
        self._items = describe_arrays(names, gradients)
        counts = [-(-gradient.size // _LANES) for gradient in gradients]
        ends = np.cumsum([0, *counts]).tolist()
        # Each gradient starts with a new word.
        self._words = _Words(world, ends[-1])
        mine, total = self._words.mine, self._words.total
        self._packed = [F.from_numpy(mine[begin:end]) for begin, end in pairwise(ends)]
        self._sums = [
            F.from_numpy(total[begin * _LANES :][: gradient.size].reshape(gradient.shape))
            for begin, gradient in zip(ends, gradients, strict=False)
        ]

    def sum(self, compression: Any, slots: Sequence[Any], gradients: Sequence[Any]) -> list[Any]:
        """Return the sums over all ranks of compressed gradients, added in rank order.

        Parameters
        ----------
        compression : TwoBitCompression
        slots : list
            Keys of the residuals in `compression`.
        gradients : list of NDArray

        Returns
        -------
        list of NDArray
            Overwritten by the next sum.
        """
        for slot, gradient, words in zip(slots, gradients, self._packed, strict=True):
            compression.pack(slot, gradient, words)
        threshold = compression.threshold
        self._world.run(self._words.sum(threshold), _signature(threshold, self._items))
        return self._sums


class CompressedAllReduceBuffer:
    """All-reduce buffer that sends two bits per value, and adds the residuals in the next step.

    Parameters
    ----------
    world : World
    length : int
    dtype : numpy.dtype
        float32.
    signature : CollectiveSignature
    threshold : float
        Values are sent as this, its negative, or zero.

    Raises
    ------
    DTypeError
        `dtype` is not float32.
    """

    def __init__(
        self,
        world: World,
        length: int,
        dtype: np.dtype,
        signature: CollectiveSignature,
        threshold: float,
    ) -> None:
        if dtype != np.float32:
            raise DTypeError(
                f"gradient compression: got {signature.items[0]}; expected float32. Cast the "
                "network, or train without compression_params"
            )
        self._world = world
        self._signature = _signature(threshold, signature.items)
        self._threshold = threshold
        self._words = _Words(world, -(-length // _LANES))
        self.own, self.total = np.zeros(length, dtype), self._words.total[:length]
        self._residual, self._previous = np.zeros(length, dtype), np.zeros(length, dtype)
        arrays = (self.own, self._residual, self._words.mine)
        self._arrays = [F.from_numpy(one[:]) for one in arrays]  # views: from_numpy locks them
        self._is_open = False

    def sum(self) -> Steps[None]:
        """Add the compressed addends of all ranks."""
        yield from self._world.meet(self._signature)
        # Start from the residuals of the previous step: a sum may be repeated with new addends.
        if self._is_open:
            self._residual[:] = self._previous
        else:
            self._previous[:] = self._residual
        self._is_open = True
        kernels.pack_two_bits(*self._arrays, self._threshold)
        yield from self._words.sum(self._threshold)

    def settle(self) -> None:
        """Keep the residuals of the last sum for the next step."""
        self._is_open = False


def _signature(threshold: float, items: tuple[str, ...]) -> CollectiveSignature:
    return CollectiveSignature(f"two-bit sum with threshold {threshold:g}", items)


def _unpack(words: Sequence[np.ndarray], total: np.ndarray, threshold: float) -> None:
    """Add the unpacked words of all ranks, from the first to the last."""
    out = F.from_numpy(total)
    for rank, row in enumerate(words):
        req = "add" if rank else "write"
        kernels.unpack_two_bits(F.from_numpy(row), out, threshold, req=req)
