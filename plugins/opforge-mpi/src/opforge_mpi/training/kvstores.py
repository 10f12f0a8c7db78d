"""Key-value stores that span all ranks, with MXNet's names."""

from collections.abc import Mapping, Sequence
from typing import Any

from opforge.plugin_api import KVStore, OpforgeError, autograd

from ..collectives.arrays import broadcast_arrays, view_of
from ..collectives.buckets import Buckets
from ..collectives.compressed_all_reduce import CompressedAllReduce
from ..collectives.session import world
from ..collectives.signature import CollectiveSignature

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
    """Arrays by key, equal on all ranks: the sum of all ranks' pushes, or updated with it.

    There is no server. Each rank keeps all arrays; sums over the ranks are computed in a fixed
    order, so that the copies remain bitwise equal.
    """

    #: Name for `kvstore.create`.
    name = "dist"
    compresses = True

    def __init__(self) -> None:
        super().__init__(self.name)
        self._world = world()
        self._buckets: dict[Any, Buckets] = {}
        self._packed: dict[Any, CompressedAllReduce] = {}

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
        """Threshold of two-bit compression; None without compression."""
        return None if self._compression is None else self._compression.threshold

    def barrier(self) -> None:
        """Wait until all ranks have reached the barrier."""
        self._world.agree(CollectiveSignature("barrier"))

    _barrier = barrier

    def init(self, key: Any, value: Any) -> None:
        """Set the initial values of keys to those of rank 0."""
        super().init(key, value)
        keys = list(key) if isinstance(key, list | tuple) else [key]
        with autograd.pause():
            stored = [self._arrays[one] for one in keys]
            dense = [array.tostype("default") for array in stored]  # no copy if it is dense
            broadcast_arrays([self._named(one) for one in keys], dense)
            for array, values in zip(stored, dense, strict=True):
                if array is not values:
                    array[:] = values

    def _sums(self, pushed: Mapping[Any, Sequence[Any]], contexts: list[Any]) -> list[Any]:
        """Return the sum over all devices of all ranks; dense if there are several ranks.

        As in MXNet, the sum over a rank's devices is compressed.
        """
        if self._world.size == 1:
            return super()._sums(pushed, contexts)
        if self._compression is not None:
            self._reject_sparse(pushed)
        totals = [total.tostype("default") for total in self._sum_each(pushed, contexts)]
        names = [self._named(key) for key in pushed]
        signature = tuple((k, t.shape, t.dtype) for k, t in zip(pushed, totals, strict=True))
        if self._compression is None:
            if signature not in self._buckets:
                self._buckets[signature] = Buckets(self._world, names, totals)
            return self._buckets[signature].sum([view_of(total) for total in totals])
        if signature not in self._packed:
            self._packed[signature] = CompressedAllReduce(self._world, names, totals)
        return self._packed[signature].sum(self._compression, list(pushed), totals)


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
        """Return False for all capabilities: each rank updates its own parameters."""
        return False

    @property
    def local_rank(self) -> int:
        """Rank of this process among those of its machine, from 0."""
        return self._world.local_rank


class DistAsync(DistributedStore):
    """Store that is rejected on several ranks, because asynchronous runs are not reproducible."""

    name = "dist_async"

    def __init__(self) -> None:
        if world().size > 1:
            raise OpforgeError(
                f"kvstore 'dist_async': got {world().size} ranks; expected 1, because asynchronous "
                "updates need a server to store the parameters, and no two runs would give the "
                "same numbers. Use 'dist_sync'"
            )
        super().__init__()
