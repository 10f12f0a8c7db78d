"""The key-value stores of all ranks, by the names that MXNet gives to them."""

from collections.abc import Sequence
from typing import Any

from opforge.plugin_api import KVStore, OpforgeError, autograd

from .arrays import barrier, broadcast_arrays, view_of
from .buckets import Buckets
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

    def __init__(self) -> None:
        super().__init__(self.name)
        self._world = world()
        self._buckets: dict[Any, Buckets] = {}

    @property
    def rank(self) -> int:
        """Number of this rank, from 0."""
        return self._world.rank

    @property
    def num_workers(self) -> int:
        """How many ranks there are."""
        return self._world.size

    def barrier(self) -> None:
        """Wait until all ranks are here."""
        barrier()

    def init(self, key: Any, value: Any) -> None:
        """Give keys their first values: those of rank 0."""
        keys, lists = _lists(key, value)
        with autograd.pause():
            values = [arrays[0].copy() for arrays in lists]
            broadcast_arrays(keys, values)
            super().init(keys, values)

    def push(self, key: Any, value: Any, priority: int = 0) -> None:
        """Sum what all ranks and their devices have for each key, and store it or update by it."""
        keys, lists = _lists(key, value)
        with autograd.pause():
            totals = [arrays[0].copy() for arrays in lists]
            _add_others(totals, lists)
            self._sum(keys, totals)
            super().push(keys, totals, priority)

    def pushpull(self, key: Any, value: Any, out: Any = None, priority: int = 0) -> None:
        """Sum arrays over all ranks and their devices.

        Parameters
        ----------
        key : int or str, or list of them
        value : NDArray, list of NDArray for several devices, or for several keys a list of these
        out : as `value`, optional
            Get the sum, or the value that the store's optimizer makes of it; default: `value`.
        priority : int
        """
        if self._updater is not None:
            self.push(key, value, priority)
            self.pull(key, value if out is None else out, priority)
            return
        keys, lists = _lists(key, value)
        outs = lists if out is None else _lists(key, out)[1]
        with autograd.pause():
            totals = [arrays[0] if out is None else arrays[0].copy() for arrays in lists]
            _add_others(totals, lists)
            self._sum(keys, totals)
            for total, arrays in zip(totals, outs, strict=True):
                for array in arrays:
                    if array is not total:
                        total.copyto(array)

    def broadcast(self, key: Any, value: Any, out: Any, priority: int = 0) -> None:
        """Give keys the values of rank 0 and copy them into `out`."""
        self.init(key, value)
        self.pull(key, out, priority)

    def _sum(self, keys: Sequence[Any], totals: Sequence[Any]) -> None:
        """Replace arrays by their sums over all ranks."""
        if self._world.size == 1:
            return
        views = [view_of(total) for total in totals]
        shapes = tuple((total.shape, view.dtype) for total, view in zip(totals, views, strict=True))
        known = (tuple(keys), shapes)
        if known not in self._buckets:
            self._buckets[known] = Buckets(self._world, keys, totals)
        self._buckets[known].sum(views)


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


def _lists(key: Any, value: Any) -> tuple[list[Any], list[list[Any]]]:
    """Return keys, and for each the arrays of its devices, as MXNet lets programs pass them."""
    if not isinstance(key, list | tuple):
        return [key], [list(value) if isinstance(value, list | tuple) else [value]]
    if len(value) % max(len(key), 1):
        raise ValueError(f"kvstore: got {len(value)} values for {len(key)} keys")
    share = len(value) // max(len(key), 1)
    lists: list[list[Any]] = []
    for place in range(len(key)):
        some = value[place * share : (place + 1) * share]
        lists.append([a for one in some for a in (one if isinstance(one, list | tuple) else [one])])
    return list(key), lists


def _add_others(totals: Sequence[Any], lists: Sequence[Sequence[Any]]) -> None:
    """Add to each total what the other devices of this rank have."""
    for total, (_, *others) in zip(totals, lists, strict=True):
        for array in others:
            total += array.as_in_context(total.context)
