"""`Buckets`: many arrays that are summed over the ranks in few messages."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from .claims import Claim, described
from .summing import sum_over
from .world import World

__all__ = ["DEFAULT_BYTES", "Buckets", "divided"]

#: A bucket is closed when it has so many bytes.
DEFAULT_BYTES = 4 * 2**20


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

    Parameters
    ----------
    world : World
    names : list of str
        What errors call the arrays.
    arrays : list of NDArray
    views : list of numpy.ndarray
        Their memory, flat.
    limit : int
        Bytes of a bucket.
    """

    def __init__(
        self,
        world: World,
        names: Sequence[Any],
        arrays: Sequence[Any],
        views: Sequence[np.ndarray],
        limit: int = DEFAULT_BYTES,
    ) -> None:
        self._world = world
        items = described(names, arrays)
        self._members = divided(views, limit)
        self._claims = [Claim("sum", tuple(items[i] for i in some)) for some in self._members]
        # One array alone is summed where it is.
        self._memory = [
            np.empty(sum(views[i].size for i in some), views[some[0]].dtype)
            if len(some) > 1
            else None
            for some in self._members
        ]

    def sum(self, views: Sequence[np.ndarray]) -> None:
        """Replace arrays, given by their memory, by their sums over all ranks."""
        for some, memory, claim in zip(self._members, self._memory, self._claims, strict=True):
            members = [views[index] for index in some]
            if memory is None:
                self._world.run(sum_over(self._world, members[0]), claim)
                continue
            np.concatenate(members, out=memory)
            self._world.run(sum_over(self._world, memory), claim)
            for member, total in zip(members, _split(memory, members), strict=True):
                member[:] = total


def _split(memory: np.ndarray, members: Sequence[np.ndarray]) -> list[np.ndarray]:
    return np.split(memory, np.cumsum([member.size for member in members[:-1]]))
