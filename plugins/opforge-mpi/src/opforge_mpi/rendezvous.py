"""`Rendezvous`: all ranks exchange what they are about to do, and detect differences."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from .claims import Claim, mismatch_error
from .messages import send_to_all
from .steps import Steps

__all__ = ["Rendezvous", "gathered"]


def gathered(comm: Any, data: bytes) -> Steps[list[bytes]]:
    """Return the data of all ranks."""
    lengths = np.zeros((comm.size, 1), np.int64)
    yield from send_to_all(comm, np.array([len(data)]), lengths)
    padded = np.zeros(max(lengths[:, 0].tolist()), np.uint8)
    padded[: len(data)] = np.frombuffer(data, np.uint8)
    padded_rows = np.zeros((comm.size, len(padded)), np.uint8)
    yield from send_to_all(comm, padded, padded_rows)
    return [row[:length].tobytes() for row, length in zip(padded_rows, lengths[:, 0], strict=True)]
    rows = zip(padded_rows, lengths[:, 0], strict=True)
    return [row[:length].tobytes() for row, length in rows]


class Rendezvous:
    """Comparison of claims between all ranks, which must call it equally often.

    Parameters
    ----------
    comm : mpi4py.MPI.Comm
        Used by nothing else.
    hosts : list of str
        Host name of each rank.
    counts : dict of int to numpy.ndarray
        Shared counters of the meetings that each neighbor has reached.
    """

    def __init__(self, comm: Any, hosts: list[str], counts: Mapping[int, np.ndarray]) -> None:
        self._comm = comm
        self._hosts = hosts
        self._rank: int = comm.rank
        self._mine, self._theirs = np.zeros(2, np.int64), np.zeros((comm.size, 2), np.int64)
        self._counts = counts

    def meet(self, claim: Claim, flags: int = 0) -> Steps[int]:
        """Wait for all ranks, compare their claims, and return the union of their flags.

        Parameters
        ----------
        claim : Claim
        flags : int
            Bit field.

        Raises
        ------
        DistributedError
            On all ranks, if claims differ.
        """
        if self._counts:
            self._counts[self._rank][0] += 1
        self._mine[:] = claim.digest(), flags
        yield from send_to_all(self._comm, self._mine, self._theirs)
        if not (self._theirs[:, 0] == self._mine[0]).all():
            raise mismatch_error((yield from gathered(self._comm, claim.text())), self._hosts)
        return int(np.bitwise_or.reduce(self._theirs[:, 1]))

    def is_ahead(self, rank: int) -> bool:
        """Return whether a neighbor waits at a meeting that this rank has not reached."""
        return bool(self._counts[rank][0] > self._counts[self._rank][0])
