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

__all__ = ["add_in_order", "cuts", "sum_over"]


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
    first, *others = addends
    total = first.astype(np.float32) if out.dtype == np.float16 else out
    if total is out:
        out[...] = first
    for addend in others:
        np.add(total, addend, out=total)
    if total is not out:
        out[...] = total


def sum_over(world: World, flat: np.ndarray) -> Steps[None]:
    """Replace a flat array by its sum over all ranks."""
    if world.size == 1:
        return
    at = cuts(flat.size, world.size)
    counts = [(end - begin) * flat.itemsize for begin, end in pairwise(at)]
    starts = [begin * flat.itemsize for begin in at[:-1]]
    own = flat[at[world.rank] : at[world.rank + 1]]
    copies = np.empty((world.size, own.size), flat.dtype)
    byte = world.mpi.BYTE
    steps = [own.nbytes * rank for rank in range(world.size)]
    yield Requests(
        [
            world.comm.Ialltoallv(
                [flat, counts, starts, byte], [copies, [own.nbytes] * world.size, steps, byte]
            )
        ]
    )
    add_in_order(list(copies), own)
    yield Requests([world.comm.Iallgatherv(world.mpi.IN_PLACE, [flat, counts, starts, byte])])
