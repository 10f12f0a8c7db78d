"""`Buckets`: many arrays that are summed over the ranks in few pieces."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from opforge.plugin_api import F

from .claims import Claim, described
from .packing import PackedRoom
from .rooms import Room, rooms
from .waiting import Collective, Steps
from .world import World

__all__ = ["Buckets", "divided"]


def divided(arrays: Sequence[np.ndarray], limit: int) -> list[list[int]]:
    """Return which arrays share a bucket: neighbours of one type, up to `limit` bytes.

    Examples
    --------
    >>> divided([np.zeros(3, np.int8), np.zeros(2, np.int8), np.zeros(9, np.int8)], 5)
    [[0, 1], [2]]
    """
    buckets: list[list[int]] = []
    room, kind = 0, None
    for index, array in enumerate(arrays):
        if not buckets or array.dtype != kind or array.nbytes > room:
            buckets.append([])
            room, kind = limit, array.dtype
        buckets[-1].append(index)
        room -= array.nbytes
    return buckets


class Buckets:
    """Arrays of certain names, shapes and types, which a program sums again and again.

    All ranks make them together.

    Parameters
    ----------
    world : World
    names : list of str
        What errors call the arrays.
    arrays : list of NDArray
        Of which shapes and types are looked at.
    threshold : float, optional
        Let them travel in two bits a value.

    Attributes
    ----------
    members : list of list of int
        Which arrays are in each bucket.
    slots : list of NDArray
        Where each array's addend is put.
    totals : list of NDArray
        Where its sum is found once `finish` has returned; to be read until the next sum begins,
        for it may be memory that all ranks read.
    """

    def __init__(
        self,
        world: World,
        names: Sequence[Any],
        arrays: Sequence[Any],
        threshold: float | None = None,
    ) -> None:
        self._world = world
        # Of an array's size and type, but without memory.
        like = [np.broadcast_to(np.zeros((), array.dtype), array.shape) for array in arrays]
        items = described(names, arrays)
        self.members = divided(like, world.settings.bucket_bytes)
        self._claims = [Claim("sum", tuple(items[i] for i in some)) for some in self.members]
        lengths = [sum(like[i].size for i in some) for some in self.members]
        dtypes = [like[some[0]].dtype for some in self.members]
        self._rooms: Sequence[Room]
        if threshold is None:
            self._rooms = rooms(world, lengths, dtypes, self._claims)
        else:
            every = zip(lengths, dtypes, self._claims, strict=True)
            self._rooms = [PackedRoom(world, *one, threshold) for one in every]
            world.keep_turns()
        self._memory = self._divided([room.own for room in self._rooms], like)
        totals = self._divided([room.total for room in self._rooms], like)
        self.slots, self.totals = (
            [F.from_numpy(flat.reshape(a.shape)) for flat, a in zip(pieces, like, strict=True)]
            for pieces in (self._memory, totals)
        )

    def _divided(
        self, buckets: Sequence[np.ndarray], like: Sequence[np.ndarray]
    ) -> list[np.ndarray]:
        """Return the piece of each array in the memory of the buckets."""
        pieces = [np.empty(0)] * len(like)
        for some, memory in zip(self.members, buckets, strict=True):
            ends = np.cumsum([like[i].size for i in some])
            for i, piece in zip(some, np.split(memory, ends[:-1]), strict=True):
                pieces[i] = piece
        return pieces

    def launch(self, bucket: int, unless: Callable[[], bool] = lambda: False) -> Collective[None]:
        """Begin with the sum of a bucket; all ranks begin with the same ones in the same order.

        Parameters
        ----------
        bucket : int
        unless : callable, optional
            Asked when it is this sum's turn; where it says so, on all ranks, there is none.
        """

        def steps() -> Steps[None]:
            if not unless():
                yield from self._rooms[bucket].sum()

        return self._world.launch(steps(), self._claims[bucket])

    def finish(self) -> None:
        """Wait for the sums that were begun; they are not taken again."""
        self._world.drain()
        for room in self._rooms:
            room.settle()

    def collect(self) -> None:
        """Put the sums into the slots."""
        for room in self._rooms:
            room.own[:] = room.total

    def sum(self, views: Sequence[np.ndarray]) -> list[Any]:
        """Return the sums of arrays, given by their memory, over all ranks.

        Returns
        -------
        list of NDArray
            They are overwritten by the next sum.
        """
        for slot, view in zip(self._memory, views, strict=True):
            slot[:] = view
        for bucket in range(len(self.members)):
            self.launch(bucket)
        self.finish()
        self.collect()
        return self.slots
