"""The processes that train together, as an operator sees them.

A plugin that connects processes calls `join` once they have met. An operator whose results depend
on what all of them have, as those of SyncBatchNorm do, asks `joined`. One that draws random numbers
need not ask: in training mode each process has its own.
"""

from typing import Protocol

import numpy as np

from ..native.threads import random_streams

__all__ = ["Ranks", "join", "joined", "leave"]


class Ranks(Protocol):
    """Processes that run one program, each with a part of the data."""

    @property
    def size(self) -> int:
        """Return the number of ranks."""

    @property
    def rank(self) -> int:
        """Which of them this is, from 0."""

    def sum(self, name: str, addend: np.ndarray) -> np.ndarray:
        """Return the sum of the arrays of all, the same bits for each of them.

        Parameters
        ----------
        name : str
            What is summed. All come to the same sums in the same order; errors have the name.
        addend : numpy.ndarray, one axis
            Of the same length and type everywhere.
        """


_joined: Ranks | None = None


def join(ranks: Ranks) -> None:
    """Let operators know the ranks, and draw other numbers in training mode than they do."""
    global _joined
    _joined = ranks
    random_streams.set_process(ranks.rank)


def leave() -> None:
    """Let operators be alone again."""
    global _joined
    _joined = None
    random_streams.set_process(0)


def joined() -> Ranks | None:
    """Return the ranks that this process is one of; None where it is alone.

    Examples
    --------
    >>> joined() is None
    True
    """
    return _joined if _joined is not None and _joined.size > 1 else None
