"""`Rendezvous`: all ranks exchange what they are about to do, and detect differences."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..transport.messages import all_gather_into
from ..transport.steps import Steps
from .signature import CollectiveSignature, mismatch_error

__all__ = ["Rendezvous", "all_gather_bytes"]


def all_gather_bytes(comm: Any, data: bytes) -> Steps[list[bytes]]:
    """Return the data of all ranks."""
    lengths = np.zeros((comm.size, 1), np.int64)
    yield from all_gather_into(comm, np.array([len(data)]), lengths)
    padded = np.zeros(max(lengths[:, 0].tolist()), np.uint8)
    padded[: len(data)] = np.frombuffer(data, np.uint8)
    padded_rows = np.zeros((comm.size, len(padded)), np.uint8)
    yield from all_gather_into(comm, padded, padded_rows)
    rows = zip(padded_rows, lengths[:, 0], strict=True)
    return [row[:length].tobytes() for row, length in rows]


class Rendezvous:
    """Comparison of signatures between all ranks, which must call it equally often.

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

    def meet(self, signature: CollectiveSignature, flags: int = 0) -> Steps[int]:
        """Wait for all ranks, compare their signatures, and return the union of their flags.

        Parameters
        ----------
        signature : CollectiveSignature
        flags : int
            Bit field.

        Raises
        ------
        DistributedError
            On all ranks, if signatures differ.
        """
        if self._counts:
            self._counts[self._rank][0] += 1
        self._mine[:] = signature.digest(), flags
        yield from all_gather_into(self._comm, self._mine, self._theirs)
        if not (self._theirs[:, 0] == self._mine[0]).all():
            raise mismatch_error(
                (yield from all_gather_bytes(self._comm, signature.text())), self._hosts
            )
        return int(np.bitwise_or.reduce(self._theirs[:, 1]))

    def is_ahead(self, rank: int) -> bool:
        """Return whether a neighbor waits at a meeting that this rank has not reached."""
        return bool(self._counts[rank][0] > self._counts[self._rank][0])
