"""`SharedMemory`: memory of each rank that all ranks of a machine read and write."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from . import library

__all__ = ["Flags", "SharedMemory"]

_PAGE = 4096


class SharedMemory:
    """A piece of memory for each rank, in the address space of all.

    It lives until the process ends: arrays of the program may lie in it.

    Parameters
    ----------
    comm : mpi4py.MPI.Comm
        Its ranks must be on one machine; all of them make it together.
    nbytes : int
        Of each rank.

    Attributes
    ----------
    of_rank : list of numpy.ndarray
        The pieces, of bytes, zero at first.
    """

    def __init__(self, comm: Any, nbytes: int) -> None:
        mpi = library.load()
        apart = mpi.Info.Create({"alloc_shared_noncontig": "true"})  # on pages of their own
        whole = (nbytes // _PAGE + 1) * _PAGE
        self._window = mpi.Win.Allocate_shared(whole, 1, apart, comm)
        self._window.Lock_all(mpi.MODE_NOCHECK)
        self.of_rank = [
            np.frombuffer(self._window.Shared_query(rank)[0], np.uint8) for rank in range(comm.size)
        ]
        self.of_rank[comm.rank][:] = 0
        self.fence()
        comm.Barrier()

    def fence(self) -> None:
        """Let all that was written before be seen before what is written from now on."""
        self._window.Sync()


class Flags:
    """Waits until each rank has counted so far.

    Parameters
    ----------
    memory : SharedMemory
    counters : dict of int to numpy.ndarray
        An element for each rank.
    value : int
        What all must have reached.
    is_elsewhere : callable, optional
        From a rank to whether it waits for something else, and so will never come.
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
        #: Whether a rank waits for something else.
        self.strayed = False

    def test(self) -> bool:
        """Tell whether all have come, or one will not."""
        missing = self.missing()
        if missing:
            # In this order: a rank that was here and went on has counted before it went.
            strayed = [rank for rank in missing if self._is_elsewhere(rank)]
            self._memory.fence()
            self.strayed = any(rank in strayed for rank in self.missing())
            return self.strayed
        self._memory.fence()
        return True

    def missing(self) -> Sequence[int]:
        """Return the ranks that have not come."""
        return [r for r, counter in self._counters.items() if counter[0] < self._value]
