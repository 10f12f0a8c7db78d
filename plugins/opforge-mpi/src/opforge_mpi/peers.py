"""`Peers`: the ranks as operators see them, for instance SyncBatchNorm."""

from typing import Any

import numpy as np

from .buckets import Buckets
from .world import World

__all__ = ["Peers"]


class Peers:
    """Sums of small arrays, in places of a network that all ranks reach in one order.

    Parameters
    ----------
    world : World
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self._buckets: dict[Any, Buckets] = {}

    @property
    def size(self) -> int:
        """Number of ranks."""
        return self._world.size

    @property
    def rank(self) -> int:
        """Which of them this is."""
        return self._world.rank

    def sum(self, name: str, addend: np.ndarray) -> np.ndarray:
        """Return the sum of the arrays of all ranks, the same bits for each of them."""
        known = name, addend.shape, addend.dtype
        if known not in self._buckets:
            self._buckets[known] = Buckets(self._world, [name], [addend])
        [total] = self._buckets[known].sum([addend])
        found: np.ndarray = total.asnumpy()
        return found
