"""`Neighbours`: the ranks that share memory with this one, and who adds which part of a sum."""

from collections.abc import Sequence
from typing import Any

from . import library

__all__ = ["Neighbours"]


class Neighbours:
    """The ranks of one machine, or groups of them; each rank is in one of these.

    A sum has as many parts as the smallest of all groups has ranks. Each of the first ranks of a
    group adds a part from the addends of its group, and then the same part of the other groups.

    Parameters
    ----------
    comm : mpi4py.MPI.Comm
        All ranks, which make it together.
    machine : mpi4py.MPI.Comm
        Those of this machine.
    limit : int
        A group has so many ranks at most; 0: all of its machine.

    Attributes
    ----------
    comm : mpi4py.MPI.Comm
        The group, in the order of its ranks.
    ranks : list of int
        Their numbers among all.
    parts : int
        Into how many a sum is divided.
    others : mpi4py.MPI.Comm
        The ranks that add the same part, one of each group; of no use to a rank that adds none.
    """

    def __init__(self, comm: Any, machine: Any, limit: int) -> None:
        self.comm = machine.Split(machine.rank // limit if limit else 0, machine.rank)
        self.ranks: Sequence[int] = self.comm.allgather(comm.rank)
        sizes = comm.allgather(self.comm.size)
        self.parts: int = min(sizes)
        #: Whether there are other groups, so that sums need messages.
        self.has_others = self.comm.size < comm.size
        #: Whether any group has more ranks than one.
        self.share_memory = max(sizes) > 1
        #: Which part this rank adds, if it adds one.
        self.part: int = self.comm.rank
        color = self.part if self.adds else library.load().UNDEFINED
        self.others = comm.Split(color, comm.rank)

    @property
    def adds(self) -> bool:
        """True if this rank adds a part."""
        return self.part < self.parts
