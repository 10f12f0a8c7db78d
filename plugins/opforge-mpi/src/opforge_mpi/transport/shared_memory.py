"""`SharedMemory`: a memory segment for each rank that all ranks of a machine read and write."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .. import library

__all__ = ["CounterBarrier", "SharedMemory"]

_PAGE = 4096


class SharedMemory:
    """Memory segments, one per rank, in the address space of all ranks.

    They are kept until the process ends, because arrays of the program may use their memory.

    Parameters
    ----------
    comm : mpi4py.MPI.Comm
        Ranks of one machine, which all create the memory together.
    nbytes : int
        Size of each segment.

    Attributes
    ----------
    of_rank : list of numpy.ndarray
        The segments as bytes, initially zero.
    """

    def __init__(self, comm: Any, nbytes: int) -> None:
        mpi = library.load()
        noncontiguous = mpi.Info.Create({"alloc_shared_noncontig": "true"})  # separate pages
        padded = (nbytes // _PAGE + 1) * _PAGE
        self._window = mpi.Win.Allocate_shared(padded, 1, noncontiguous, comm)
        self._window.Lock_all(mpi.MODE_NOCHECK)
        self.of_rank = [
            np.frombuffer(self._window.Shared_query(rank)[0], np.uint8) for rank in range(comm.size)
        ]
        self.of_rank[comm.rank][:] = 0
        self.fence()
        comm.Barrier()

    def fence(self) -> None:
        """Order all earlier writes before all later ones."""
        self._window.Sync()


class CounterBarrier:
    """Wait until the counters of all ranks have reached a value.

    Parameters
    ----------
    memory : SharedMemory
    counters : dict of int to numpy.ndarray
        One element for each rank.
    value : int
        Value that all counters must reach.
    is_elsewhere : callable, optional
        Given a rank, returns whether it waits for another collective and so will never arrive.
    """

    def __init__(
        self,
        memory: SharedMemory,
        counters: Mapping[int, np.ndarray],
        value: int,
        is_elsewhere: Callable[[int], bool] = lambda rank: False,
    ) -> None:
        self._memory = memory
        self._counters = counters
        self._value = value
        self._is_elsewhere = is_elsewhere
        #: True if a rank waits for another collective.
        self.strayed = False

    def test(self) -> bool:
        """Return whether all have arrived, or one will not."""
        missing = self.missing()
        if missing:
            # In this order: a rank that was here and continued has counted before it continued.
            strayed = [rank for rank in missing if self._is_elsewhere(rank)]
            self._memory.fence()
            self.strayed = any(rank in strayed for rank in self.missing())
            return self.strayed
        self._memory.fence()
        return True

    def missing(self) -> Sequence[int]:
        """Return the ranks that have not arrived."""
        return [r for r, counter in self._counters.items() if counter[0] < self._value]
