"""Buffers whose contents are summed over all ranks, repeatedly.

An all-reduce buffer has memory for this rank's addend and for the sum. `sum` returns the steps that
compute the sum; the addend may be overwritten during them if the sum is no longer needed.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np

from ..transport.shared_memory import CounterBarrier, SharedMemory
from ..transport.steps import Steps
from .all_reduce import add_pairwise, all_reduce_as_float16, part_bounds
from .signature import CollectiveSignature
from .world import World

__all__ = [
    "AllReduceBuffer",
    "MessageAllReduceBuffer",
    "SharedMemoryAllReduceBuffer",
    "create_all_reduce_buffers",
]

_ALIGNMENT = 64


class AllReduceBuffer(Protocol):
    """Interface of all-reduce buffers."""

    own: np.ndarray
    """This rank's addend: one axis, any element type."""

    total: np.ndarray
    """The sum, valid until the next one starts; it may be memory shared by all ranks."""

    def sum(self) -> Steps[None]:
        """Add the addends of all ranks, which must pass equal signatures."""

    def settle(self) -> None:
        """Make the last sum final; it will not be repeated."""


class MessageAllReduceBuffer:
    """All-reduce buffer in private memory; addends are sent as messages.

    Parameters
    ----------
    world : World
    length : int
    dtype : numpy.dtype
    signature : CollectiveSignature
    """

    def __init__(
        self, world: World, length: int, dtype: np.dtype, signature: CollectiveSignature
    ) -> None:
        self._world = world
        self._signature = signature
        self.own = np.zeros(length, dtype)
        self.total = np.empty(length, dtype)

    def sum(self) -> Steps[None]:
        """Add the addends of all ranks."""
        yield from self._world.meet(self._signature)
        as_float16 = self._world.settings.half_messages
        yield from all_reduce_as_float16(self._world.comm, self.own, self.total, as_float16)

    def settle(self) -> None:
        """Do nothing: a sum has no state to commit."""


class SharedMemoryAllReduceBuffer:
    """All-reduce buffer in memory shared by a node group.

    Each rank adds its part of the addends of all ranks in the group, and writes it into the shared
    sum. If there are other groups, on other machines, ranks that add the same part exchange their
    sums. Two counters of each rank count how often its addend and its part of the sum have been
    ready. A rank whose addend is ready again no longer reads the previous sum.

    Parameters
    ----------
    world : World
    memory : SharedMemory
    offset : int
        Offset of the buffer in each rank's segment.
    length : int
    dtype : numpy.dtype
    signature : CollectiveSignature
    """

    def __init__(
        self,
        world: World,
        memory: SharedMemory,
        offset: int,
        length: int,
        dtype: np.dtype,
        signature: CollectiveSignature,
    ) -> None:
        self._world = world
        self._memory = memory
        self._signature = signature
        nbytes = length * dtype.itemsize
        segments = [segment[offset:] for segment in memory.of_rank]
        group = self._group = world.node_group
        counters = [segment[:16].view(np.int64) for segment in segments]
        self._ready, self._added = (
            {rank: counter[index:] for rank, counter in zip(group.ranks, counters, strict=True)}
            for index in (0, 1)
        )
        addends = [segment[_ALIGNMENT:][:nbytes].view(dtype) for segment in segments]
        self.own = addends[group.comm.rank]
        self.total = segments[0][_ALIGNMENT + _align(nbytes) :][:nbytes].view(dtype)
        if group.adds:
            mine = slice(*part_bounds(length, group.parts)[group.part :][:2])
            self._addends = [addend[mine] for addend in addends]
            self._sum = self.total[mine]
        self._iteration = 0

    @staticmethod
    def required_bytes(length: int, dtype: np.dtype) -> int:
        """Return the size of a buffer in each rank's segment."""
        return _ALIGNMENT + 2 * _align(length * dtype.itemsize)

    def sum(self) -> Steps[None]:
        """Add the addends of all ranks."""
        self._iteration += 1
        if self._group.has_others:  # their counters are not visible on this machine
            yield from self._world.meet(self._signature)
        yield from self._all_reach(self._ready)
        if self._group.adds:
            add_pairwise(self._addends, self._sum)
            if self._group.has_others:
                as_float16 = self._world.settings.half_messages
                yield from all_reduce_as_float16(
                    self._group.others, self._sum, self._sum, as_float16
                )
        yield from self._all_reach(self._added)

    def settle(self) -> None:
        """Do nothing: a sum has no state to commit."""

    def _all_reach(self, counters: Mapping[int, np.ndarray]) -> Steps[None]:
        """Advance this rank's counter, and wait until the others have reached it."""
        self._memory.fence()
        counters[self._world.rank][0] = self._iteration
        flags = CounterBarrier(self._memory, counters, self._iteration, self._world.is_ahead)
        yield flags
        if flags.strayed:
            yield from self._world.meet(self._signature)  # raises the error on all ranks


def _align(nbytes: int) -> int:
    return -(-nbytes // _ALIGNMENT) * _ALIGNMENT


def create_all_reduce_buffers(
    world: World,
    lengths: Sequence[int],
    dtypes: Sequence[np.dtype],
    signatures: Sequence[CollectiveSignature],
) -> list[AllReduceBuffer]:
    """Return an all-reduce buffer for each length, in shared memory if possible.

    All ranks create them together; their signatures are compared.
    """
    items = tuple(item for signature in signatures for item in signature.items)
    arguments = list(zip(lengths, dtypes, signatures, strict=True))
    world.agree(CollectiveSignature("memory for the sum", items))
    if not world.node_group.share_memory:
        return [MessageAllReduceBuffer(world, *one) for one in arguments]
    sizes = [
        SharedMemoryAllReduceBuffer.required_bytes(length, dtype) for length, dtype, _ in arguments
    ]
    offsets = np.cumsum([0, *sizes]).tolist()
    memory = SharedMemory(world.node_group.comm, offsets[-1])
    return [
        SharedMemoryAllReduceBuffer(world, memory, offset, *one)
        for offset, one in zip(offsets, arguments, strict=False)
    ]
