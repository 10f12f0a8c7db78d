"""`NodeGroup`: the ranks that share memory with this one, and which part of a sum each adds."""

from collections.abc import Sequence
from typing import Any

from .. import library

__all__ = ["NodeGroup"]


class NodeGroup:
    """Ranks of one machine, or a subset of them; each rank is in one group.

    A sum has as many parts as the smallest group has ranks. Each of the first ranks of a group adds
    one part of its group's addends, and then the same part of the other groups.

    Parameters
    ----------
    comm : mpi4py.MPI.Comm
        All ranks, which create the groups together.
    machine : mpi4py.MPI.Comm
        The ranks of this machine.
    limit : int
        Maximum number of ranks in a group; 0: all ranks of the machine.

    Attributes
    ----------
    comm : mpi4py.MPI.Comm
        The group, in the order of its ranks.
    ranks : list of int
        Their ranks in `comm`.
    parts : int
        Number of parts of a sum.
    others : mpi4py.MPI.Comm
        The ranks that add the same part, one from each group; invalid on ranks that add none.
    """

    def __init__(self, comm: Any, machine: Any, limit: int) -> None:
        self.comm = machine.Split(machine.rank // limit if limit else 0, machine.rank)
        self.ranks: Sequence[int] = self.comm.allgather(comm.rank)
        sizes = comm.allgather(self.comm.size)
        self.parts: int = min(sizes)
        #: True if there are other groups, so that sums need messages.
        self.has_others = self.comm.size < comm.size
        #: True if any group has more than one rank.
        self.share_memory = max(sizes) > 1
        #: Part that this rank adds, if it adds one.
        self.part: int = self.comm.rank
        color = self.part if self.adds else library.load().UNDEFINED
        self.others = comm.Split(color, comm.rank)

    @property
    def adds(self) -> bool:
        """True if this rank adds a part."""
        return self.part < self.parts
