"""`Buckets`: many arrays that are summed over the ranks in a few large pieces."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from opforge.plugin_api import F

from ..transport.steps import Collective, Steps
from .all_reduce_buffers import AllReduceBuffer, create_all_reduce_buffers
from .compressed_all_reduce import CompressedAllReduceBuffer
from .signature import CollectiveSignature, describe_arrays
from .world import World

__all__ = ["Buckets", "group_into_buckets"]


def group_into_buckets(arrays: Sequence[np.ndarray], limit: int) -> list[list[int]]:
    """Return the array indices of each bucket: neighbors of one type, up to `limit` bytes.

    Examples
    --------
    >>> group_into_buckets([np.zeros(3, np.int8), np.zeros(2, np.int8), np.zeros(9, np.int8)], 5)
    [[0, 1], [2]]
    """
    buckets: list[list[int]] = []
    available, kind = 0, None
    for index, array in enumerate(arrays):
        if not buckets or array.dtype != kind or array.nbytes > available:
            buckets.append([])
            available, kind = limit, array.dtype
        buckets[-1].append(index)
        available -= array.nbytes
    return buckets


class Buckets:
    """Arrays of fixed names, shapes and types that are summed repeatedly.

    All ranks create them together.

    Parameters
    ----------
    world : World
    names : list of str
        Names of the arrays, for errors.
    arrays : list of NDArray
        Arrays whose shapes and types are used.
    threshold : float, optional
        Compress to two bits per value with this threshold.

    Attributes
    ----------
    members : list of list of int
        Array indices of each bucket.
    slots : list of NDArray
        Buffer for the addend of each array.
    totals : list of NDArray
        Sum of each array after `finish` has returned. It must be read before the next sum begins,
        because it may be memory that all ranks read.
    """

    def __init__(
        self,
        world: World,
        names: Sequence[Any],
        arrays: Sequence[Any],
        threshold: float | None = None,
    ) -> None:
        self._world = world
        # Shape and type of each array, without allocating memory.
        like = [np.broadcast_to(np.zeros((), array.dtype), array.shape) for array in arrays]
        items = describe_arrays(names, arrays)
        self.members = group_into_buckets(like, world.settings.bucket_bytes)
        self._signatures = [
            CollectiveSignature("sum", tuple(items[i] for i in bucket)) for bucket in self.members
        ]
        lengths = [sum(like[i].size for i in bucket) for bucket in self.members]
        dtypes = [like[bucket[0]].dtype for bucket in self.members]
        self._buffers: Sequence[AllReduceBuffer]
        if threshold is None:
            self._buffers = create_all_reduce_buffers(world, lengths, dtypes, self._signatures)
        else:
            arguments = zip(lengths, dtypes, self._signatures, strict=True)
            self._buffers = [CompressedAllReduceBuffer(world, *one, threshold) for one in arguments]
            world.make_sequential()
        self._memory = self._split_by_array([buffer.own for buffer in self._buffers], like)
        totals = self._split_by_array([buffer.total for buffer in self._buffers], like)
        self.slots, self.totals = (
            [F.from_numpy(flat.reshape(a.shape)) for flat, a in zip(pieces, like, strict=True)]
            for pieces in (self._memory, totals)
        )

    def _split_by_array(
        self, buckets: Sequence[np.ndarray], like: Sequence[np.ndarray]
    ) -> list[np.ndarray]:
        """Return each array's slice of the bucket memory."""
        pieces = [np.empty(0)] * len(like)
        for members, memory in zip(self.members, buckets, strict=True):
            ends = np.cumsum([like[i].size for i in members])
            for i, piece in zip(members, np.split(memory, ends[:-1]), strict=True):
                pieces[i] = piece
        return pieces

    def launch(self, bucket: int, unless: Callable[[], bool] = lambda: False) -> Collective[None]:
        """Start the sum of a bucket; all ranks must start the same sums in the same order.

        Parameters
        ----------
        bucket : int
        unless : callable, optional
            Called before this sum starts; if it returns True, on all ranks, the sum is skipped.
        """

        def steps() -> Steps[None]:
            if not unless():
                yield from self._buffers[bucket].sum()

        return self._world.launch(steps(), self._signatures[bucket])

    def finish(self) -> None:
        """Wait for the sums that were started, and make their results final."""
        self._world.drain()
        for buffer in self._buffers:
            buffer.settle()

    def collect(self) -> None:
        """Copy the sums into the slots."""
        for buffer in self._buffers:
            buffer.own[:] = buffer.total

    def sum(self, views: Sequence[np.ndarray]) -> list[Any]:
        """Return the sums over all ranks of arrays given by their memory.

        Returns
        -------
        list of NDArray
            Overwritten by the next sum.
        """
        for slot, view in zip(self._memory, views, strict=True):
            slot[:] = view
        for bucket in range(len(self.members)):
            self.launch(bucket)
        self.finish()
        self.collect()
        return self.slots
