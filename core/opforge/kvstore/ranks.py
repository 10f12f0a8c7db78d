"""The group of processes that train together, as operators see it.

A plugin that connects processes calls `join` once they are connected. An operator whose results
depend on the data of all processes, such as SyncBatchNorm, calls `joined`. An operator that draws
random numbers need not: in training mode each process already draws different ones.
"""

from typing import Protocol

import numpy as np

from ..native.threads import random_streams

__all__ = ["Ranks", "join", "joined", "leave"]


class Ranks(Protocol):
    """Group of processes that run one program, each on a part of the data."""

    @property
    def size(self) -> int:
        """Return the number of ranks."""

    @property
    def rank(self) -> int:
        """Return the rank of this process, from 0."""

    def sum(self, name: str, addend: np.ndarray) -> np.ndarray:
        """Return the sum of the arrays of all processes, bitwise identical on each of them.

        Parameters
        ----------
        name : str
            Name of the sum, for errors. All processes must compute the same sums in the same order.
        addend : numpy.ndarray, one axis
            Of the same length and type on all processes.
        """


_joined: Ranks | None = None


def join(ranks: Ranks) -> None:
    """Register the process group, and draw different random numbers on each rank in training."""
    global _joined
    _joined = ranks
    random_streams.set_process(ranks.rank)


def leave() -> None:
    """Unregister the process group."""
    global _joined
    _joined = None
    random_streams.set_process(0)


def joined() -> Ranks | None:
    """Return the process group; None if this process is alone.

    Examples
    --------
    >>> joined() is None
    True
    """
    return _joined if _joined is not None and _joined.size > 1 else None
