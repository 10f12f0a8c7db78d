"""`ProcessGroup`: the ranks as operators such as SyncBatchNorm see them."""

from typing import Any

import numpy as np

from .buckets import Buckets
from .world import World

__all__ = ["ProcessGroup"]


class ProcessGroup:
    """Sums of small arrays inside a network; all ranks must compute them in the same order.

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
        """Rank of this process."""
        return self._world.rank

    def sum(self, name: str, addend: np.ndarray) -> np.ndarray:
        """Return the sum of the arrays of all ranks, bitwise equal on each of them."""
        signature = name, addend.shape, addend.dtype
        if signature not in self._buckets:
            self._buckets[signature] = Buckets(self._world, [name], [addend])
        [total] = self._buckets[signature].sum([addend])
        result: np.ndarray = total.asnumpy()
        return result
