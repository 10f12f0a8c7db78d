"""The sum of an array over all ranks, in the order of the ranks.

Each rank owns a part: it gets all ranks' copies of the part, adds them from the first rank to the
last, and gives the sum to all. So each element is the same chain of additions whatever the MPI
library, the sizes of messages and the number of machines are, and every rank has the same bits.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from .waiting import Requests, Steps
from .world import World

__all__ = ["add_in_order", "cuts", "exchanged_sum"]


def cuts(length: int, parts: int) -> list[int]:
    """Return where `length` elements are cut into parts that differ by one at most.

    Examples
    --------
    >>> cuts(7, 3)
    [0, 2, 4, 7]
    """
    return [length * part // parts for part in range(parts + 1)]


def add_in_order(addends: Sequence[np.ndarray], out: np.ndarray) -> None:
    """Write the sum of arrays into `out`; halves are added as singles and rounded once.

    Examples
    --------
    >>> out = np.zeros(1, np.float16)
    >>> add_in_order([np.array([one], np.float16) for one in (2048, 1, 1)], out)
    >>> out.tolist()
    [2050.0]
    """
    total, *others = addends
    if out.dtype == np.float16:
        total = total.astype(np.float32)
    for addend in others:
        # The first sum goes to `out` at once: a copy before it would cross memory once more.
        total = np.add(total, addend, out=out if total.dtype == out.dtype else total)
    if total is not out:
        out[...] = total


def exchanged_sum(world: World, addend: np.ndarray, total: np.ndarray) -> Steps[None]:
    """Write the sum of all ranks' addends, flat arrays, into `total`, which may be `addend`."""
    ends = cuts(addend.size, world.size)
    counts = [(end - begin) * addend.itemsize for begin, end in pairwise(ends)]
    starts = [begin * addend.itemsize for begin in ends[:-1]]
    part = total[ends[world.rank] : ends[world.rank + 1]]
    copies = np.empty((world.size, part.size), addend.dtype)
    rows = [part.nbytes * rank for rank in range(world.size)]
    byte = world.mpi.BYTE
    received = [copies, [part.nbytes] * world.size, rows, byte]
    yield Requests([world.comm.Ialltoallv([addend, counts, starts, byte], received)])
    add_in_order(list(copies), part)
    yield Requests([world.comm.Iallgatherv(world.mpi.IN_PLACE, [total, counts, starts, byte])])
