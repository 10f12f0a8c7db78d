"""`World`: the ranks of this program's run, and the meeting with which each collective begins."""

import os
import socket
from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np

from . import library
from .claims import Claim, disagreement
from .errors import DistributedError
from .waiting import Requests, Steps, finish

__all__ = ["World"]

T = TypeVar("T")


class World:
    """A communicator of opforge's own.

    Parameters
    ----------
    comm : mpi4py.MPI.Comm
        Is duplicated, so that the program's own messages and these never meet.
    timeout : float
        Seconds to wait for the other ranks.
    """

    def __init__(self, comm: Any, timeout: float) -> None:
        self.mpi = library.load()
        self.comm = comm.Dup()
        #: Where ranks meet that are out of step, to end together.
        self.ends = comm.Dup()
        self.timeout = timeout
        self.rank: int = self.comm.rank
        self.size: int = self.comm.size
        self.hosts: list[str] = self.comm.allgather(socket.gethostname())
        node = self.comm.Split_type(self.mpi.COMM_TYPE_SHARED)
        self.local_rank: int = node.rank
        self.local_size: int = node.size
        node.Free()
        self._process = os.getpid()
        self._broken = ""
        self._mine, self._theirs = np.zeros(1, np.int64), np.zeros((self.size, 1), np.int64)
        self._others = [rank for rank in range(self.size) if rank != self.rank]

    def run(self, steps: Steps[T], claim: Claim) -> T:
        """Meet the other ranks under a claim, then take the steps, and return their result.

        Raises
        ------
        DistributedError
            Others came with another claim or not in time, or an earlier collective failed.
        """
        self._check_whole()

        def all_steps() -> Steps[T]:
            yield from self.meet(claim)
            return (yield from steps)

        def late(missing: Sequence[int]) -> DistributedError:
            return self._late(missing, claim)

        try:
            return finish(all_steps(), self.timeout, late)
        except BaseException as error:
            # The others are somewhere in it; whatever came next would be mistaken for the rest.
            self._broken = f"{type(error).__name__}: {error}"
            raise

    def meet(self, claim: Claim) -> Steps[None]:
        """Wait until every rank has come, and compare what they claim."""
        if self.size == 1:
            return
        self._mine[0] = claim.digest()
        yield from self._exchange(self._mine, self._theirs)
        if (self._theirs == self._mine).all():
            return
        raise disagreement((yield from self._gather(claim.text())), self.hosts)

    def _exchange(self, mine: np.ndarray, theirs: np.ndarray) -> Steps[None]:
        """Send `mine` to all, and receive one of each into the rows of `theirs`."""
        theirs[self.rank] = mine
        arriving = [self.comm.Irecv(theirs[rank], rank) for rank in self._others]
        leaving = [self.comm.Isend(mine, rank) for rank in self._others]
        yield Requests(arriving + leaving, self._others * 2)

    def _gather(self, text: bytes) -> Steps[list[bytes]]:
        """Return the texts of all ranks."""
        lengths = np.zeros((self.size, 1), np.int64)
        yield from self._exchange(np.array([len(text)]), lengths)
        padded = np.zeros(int(lengths.max()), np.uint8)
        padded[: len(text)] = np.frombuffer(text, np.uint8)
        texts = np.zeros((self.size, len(padded)), np.uint8)
        yield from self._exchange(padded, texts)
        return [row[:length].tobytes() for row, length in zip(texts, lengths[:, 0], strict=True)]

    @property
    def is_broken(self) -> bool:
        """Whether a collective has failed, after which there can be no other."""
        return bool(self._broken)

    @property
    def is_forked(self) -> bool:
        """Whether this process has no rank, being a copy of one that has."""
        return os.getpid() != self._process

    def _check_whole(self) -> None:
        if self._broken:
            raise DistributedError(
                "opforge-mpi: the ranks are out of step since an earlier failure "
                f"({self._broken}); end the program, and go on from a checkpoint"
            )
        if self.is_forked:
            raise DistributedError(
                "opforge-mpi: a forked process (a worker of a DataLoader?) has no rank of its own; "
                "call collectives in the process that mpiexec started"
            )

    def _late(self, missing: Sequence[int], claim: Claim) -> DistributedError:
        who = ", ".join(f"rank {rank} ({self.hosts[rank]})" for rank in missing) or "another rank"
        here = [rank for rank in range(self.size) if rank not in missing]
        return DistributedError(
            f"opforge-mpi: rank {self.rank} ({self.hosts[self.rank]}) has waited "
            f"{self.timeout:g} s at the {claim} for {who}: it hangs, is lost, or needs longer. "
            "opforge_mpi.init(timeout=...) or OPFORGE_MPI_TIMEOUT sets the seconds",
            ranks=missing,
            teller=here[0] if missing else None,
        )
