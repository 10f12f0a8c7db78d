"""`Meeting`: where all ranks say what they are about to do, and learn where they differ."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from .claims import Claim, disagreement
from .messages import told_to_all
from .waiting import Steps

__all__ = ["Meeting", "gathered"]


def gathered(comm: Any, data: bytes) -> Steps[list[bytes]]:
    """Return the data of all ranks."""
    lengths = np.zeros((comm.size, 1), np.int64)
    yield from told_to_all(comm, np.array([len(data)]), lengths)
    padded = np.zeros(max(lengths[:, 0].tolist()), np.uint8)
    padded[: len(data)] = np.frombuffer(data, np.uint8)
    every = np.zeros((comm.size, len(padded)), np.uint8)
    yield from told_to_all(comm, padded, every)
    return [row[:length].tobytes() for row, length in zip(every, lengths[:, 0], strict=True)]


class Meeting:
    """Compares claims. All ranks must come to it equally often.

    Parameters
    ----------
    comm : mpi4py.MPI.Comm
        For nothing but meetings.
    hosts : list of str
        The machine of each rank.
    counts : dict of int to numpy.ndarray
        Where ranks that share memory count the meetings to which they have come.
    """

    def __init__(self, comm: Any, hosts: list[str], counts: Mapping[int, np.ndarray]) -> None:
        self._comm = comm
        self._hosts = hosts
        self._rank: int = comm.rank
        self._mine, self._theirs = np.zeros(2, np.int64), np.zeros((comm.size, 2), np.int64)
        self._counts = counts

    def meet(self, claim: Claim, wishes: int = 0) -> Steps[int]:
        """Wait until every rank has come, compare their claims, and return all ranks' wishes.

        Parameters
        ----------
        claim : Claim
        wishes : int
            A bit for each.

        Raises
        ------
        DistributedError
            On all ranks, where claims differ.
        """
        if self._counts:
            self._counts[self._rank][0] += 1
        self._mine[:] = claim.digest(), wishes
        yield from told_to_all(self._comm, self._mine, self._theirs)
        if not (self._theirs[:, 0] == self._mine[0]).all():
            raise disagreement((yield from gathered(self._comm, claim.text())), self._hosts)
        return int(np.bitwise_or.reduce(self._theirs[:, 1]))

    def is_ahead(self, rank: int) -> bool:
        """Tell whether a neighbour waits at a meeting to which this rank has not come."""
        return bool(self._counts[rank][0] > self._counts[self._rank][0])
