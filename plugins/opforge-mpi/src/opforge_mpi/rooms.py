"""Memory whose contents are summed over all ranks, again and again.

A room has memory for this rank's addend, and the sum beside it. `sum` takes the steps to the sum,
during which the addend may be written anew if the sum is not wanted any more.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np

from .claims import Claim
from .shared import Flags, SharedMemory
from .summing import add_in_pairs, cuts, sent_sum
from .waiting import Steps
from .world import World

__all__ = ["MessageRoom", "Room", "SharedRoom", "rooms"]

_ALIGNMENT = 64


class Room(Protocol):
    """Base class of rooms."""

    own: np.ndarray
    """This rank's addend: one axis, some element type."""

    total: np.ndarray
    """The sum, to be read until the next one begins; it may be memory of all ranks."""

    def sum(self) -> Steps[None]:
        """Add the addends of all ranks; all must come with the same claim."""

    def settle(self) -> None:
        """Learn that the last sum is taken for good, and will not be taken again."""


class MessageRoom:
    """A room of its own for each rank; addends travel in messages.

    Parameters
    ----------
    world : World
    length : int
    dtype : numpy.dtype
    claim : Claim
    """

    def __init__(self, world: World, length: int, dtype: np.dtype, claim: Claim) -> None:
        self._world = world
        self._claim = claim
        self.own = np.zeros(length, dtype)
        self.total = np.empty(length, dtype)

    def sum(self) -> Steps[None]:
        """Add the addends of all ranks."""
        yield from self._world.meet(self._claim)
        in_halves = self._world.settings.half_messages
        yield from sent_sum(self._world.comm, self.own, self.total, in_halves)

    def settle(self) -> None:
        """Do nothing: a sum leaves nothing behind."""


class SharedRoom:
    """A room on memory that neighbours share.

    Each adds its part, from the addends of all neighbours, and writes it into the one sum that they
    read; where there are others, on other machines, parts travel between those that add the same.
    Two counters of each rank say how often its addend and its part of the sum have been ready. A
    rank whose addend is ready once more reads the sum before no longer.

    Parameters
    ----------
    world : World
    memory : SharedMemory
    begins : int
        Where the room lies in each rank's piece.
    length : int
    dtype : numpy.dtype
    claim : Claim
    """

    def __init__(
        self,
        world: World,
        memory: SharedMemory,
        begins: int,
        length: int,
        dtype: np.dtype,
        claim: Claim,
    ) -> None:
        self._world = world
        self._memory = memory
        self._claim = claim
        nbytes = length * dtype.itemsize
        pieces = [piece[begins:] for piece in memory.of_rank]
        near = self._near = world.neighbours
        counters = [piece[:16].view(np.int64) for piece in pieces]
        self._ready, self._added = (
            {rank: counter[place:] for rank, counter in zip(near.ranks, counters, strict=True)}
            for place in (0, 1)
        )
        addends = [piece[_ALIGNMENT:][:nbytes].view(dtype) for piece in pieces]
        self.own = addends[near.comm.rank]
        self.total = pieces[0][_ALIGNMENT + _aligned(nbytes) :][:nbytes].view(dtype)
        if near.adds:
            mine = slice(*cuts(length, near.parts)[near.part :][:2])
            self._addends = [addend[mine] for addend in addends]
            self._sum = self.total[mine]
        self._turn = 0

    @staticmethod
    def room_bytes(length: int, dtype: np.dtype) -> int:
        """Return how much of each rank's piece a room takes."""
        return _ALIGNMENT + 2 * _aligned(length * dtype.itemsize)

    def sum(self) -> Steps[None]:
        """Add the addends of all ranks."""
        self._turn += 1
        if self._near.has_others:  # whose counters nobody sees here
            yield from self._world.meet(self._claim)
        yield from self._all_reach(self._ready)
        if self._near.adds:
            add_in_pairs(self._addends, self._sum)
            if self._near.has_others:
                in_halves = self._world.settings.half_messages
                yield from sent_sum(self._near.others, self._sum, self._sum, in_halves)
        yield from self._all_reach(self._added)

    def settle(self) -> None:
        """Do nothing: a sum leaves nothing behind."""

    def _all_reach(self, counters: Mapping[int, np.ndarray]) -> Steps[None]:
        """Count this rank's turn, and wait for the others to do so."""
        self._memory.fence()
        counters[self._world.rank][0] = self._turn
        flags = Flags(self._memory, counters, self._turn, self._world.is_ahead)
        yield flags
        if flags.strayed:
            yield from self._world.meet(self._claim)  # where all learn who is where


def _aligned(nbytes: int) -> int:
    return -(-nbytes // _ALIGNMENT) * _ALIGNMENT


def rooms(
    world: World, lengths: Sequence[int], dtypes: Sequence[np.dtype], claims: Sequence[Claim]
) -> list[Room]:
    """Return a room for each length, in memory that ranks share where they can.

    All ranks make them together; what they claim is compared.
    """
    items = tuple(item for claim in claims for item in claim.items)
    every = list(zip(lengths, dtypes, claims, strict=True))
    world.agree(Claim("memory for the sum", items))
    if not world.neighbours.share_memory:
        return [MessageRoom(world, *one) for one in every]
    sizes = [SharedRoom.room_bytes(length, dtype) for length, dtype, _ in every]
    begins = np.cumsum([0, *sizes]).tolist()
    memory = SharedMemory(world.neighbours.comm, begins[-1])
    return [SharedRoom(world, memory, at, *one) for at, one in zip(begins, every, strict=False)]
