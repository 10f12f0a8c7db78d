"""The key-value stores of all ranks, by the names that MXNet gives to them."""

from collections.abc import Mapping, Sequence
from typing import Any

from opforge.plugin_api import KVStore, OpforgeError, autograd

from .arrays import broadcast_arrays, view_of
from .buckets import Buckets
from .claims import Claim
from .packing import PackedSums
from .running import world

__all__ = [
    "Dist",
    "DistAsync",
    "DistDeviceSync",
    "DistSync",
    "DistSyncDevice",
    "DistributedStore",
    "Horovod",
]


class DistributedStore(KVStore):
    """Arrays by key, the same on all ranks: each what all ranks have pushed, or updated by it.

    There is no server. Each rank keeps all arrays; sums are taken over all ranks in the order of
    their numbers, so that the copies stay the same to the bit.
    """

    #: The name that it is created by.
    name = "dist"
    compresses = True

    def __init__(self) -> None:
        super().__init__(self.name)
        self._world = world()
        self._buckets: dict[Any, Buckets] = {}
        self._packed: dict[Any, PackedSums] = {}

    @property
    def rank(self) -> int:
        """Number of this rank, from 0."""
        return self._world.rank

    @property
    def num_workers(self) -> int:
        """Number of ranks."""
        return self._world.size

    @property
    def threshold(self) -> float | None:
        """Threshold of two-bit gradients; None: values are sent unchanged."""
        return None if self._compression is None else self._compression.threshold

    def barrier(self) -> None:
        """Wait until all ranks are here."""
        self._world.agree(Claim("barrier"))

    _barrier = barrier

    def init(self, key: Any, value: Any) -> None:
        """Give keys their first values: those of rank 0."""
        super().init(key, value)
        keys = list(key) if isinstance(key, list | tuple) else [key]
        with autograd.pause():
            stored = [self._arrays[one] for one in keys]
            dense = [array.tostype("default") for array in stored]  # itself, where it is
            broadcast_arrays([self._named(one) for one in keys], dense)
            for array, values in zip(stored, dense, strict=True):
                if array is not values:
                    array[:] = values

    def _sums(self, given: Mapping[Any, Sequence[Any]], contexts: list[Any]) -> list[Any]:
        """Return the sum over all devices of all ranks, dense where there are several ranks.

        As in MXNet it is the sum over a rank's devices that is compressed.
        """
        if self._world.size == 1:
            return super()._sums(given, contexts)
        if self._compression is not None:
            self._refuse_sparse(given)
        totals = [total.tostype("default") for total in self._added(given, contexts)]
        names = [self._named(key) for key in given]
        known = tuple((k, t.shape, t.dtype) for k, t in zip(given, totals, strict=True))
        if self._compression is None:
            if known not in self._buckets:
                self._buckets[known] = Buckets(self._world, names, totals)
            return self._buckets[known].sum([view_of(total) for total in totals])
        if known not in self._packed:
            self._packed[known] = PackedSums(self._world, names, totals)
        return self._packed[known].sum(self._compression, list(given), totals)


class Dist(DistributedStore):
    """`DistributedStore` as ``"dist"``."""


class DistSync(DistributedStore):
    """`DistributedStore` as ``"dist_sync"``."""

    name = "dist_sync"


class DistDeviceSync(DistributedStore):
    """`DistributedStore` as ``"dist_device_sync"``."""

    name = "dist_device_sync"


class DistSyncDevice(DistributedStore):
    """`DistributedStore` as ``"dist_sync_device"``."""

    name = "dist_sync_device"


class Horovod(DistributedStore):
    """`DistributedStore` as ``"horovod"``."""

    name = "horovod"

    def is_capable(self, capability: str) -> bool:
        """Tell that it runs no optimizer: each rank updates its own parameters."""
        return False

    @property
    def local_rank(self) -> int:
        """Number of this rank among those of its machine, from 0."""
        return self._world.local_rank


class DistAsync(DistributedStore):
    """Refused on several ranks: if they did not wait for each other, no two runs were the same."""

    name = "dist_async"

    def __init__(self) -> None:
        if world().size > 1:
            raise OpforgeError(
                f"kvstore 'dist_async': got {world().size} ranks that do not wait for each other, "
                "expected ranks in step: there is no server that could keep their parameters, and "
                "no two runs would give the same numbers. Use 'dist_sync'"
            )
        super().__init__()
