"""The sum of an array over ranks, added in pairs: 0 and 1, 2 and 3, then these sums, and so on.

Each rank owns a part: it gets all ranks' copies of the part, adds them, and gives the sum to all.
Of few bytes it gets and adds all parts itself, which saves a round of messages.
So each element is the same tree of additions whatever the MPI library and the sizes of messages
are, and every rank has the same bits. The sum of two, four or eight neighbours is a branch of this
tree: where groups of so many are summed first, the bits are the same, too.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from opforge.plugin_api import F, kernels

from .messages import exchange, told_to_all
from .waiting import Steps

__all__ = [
    "add_in_pairs",
    "cuts",
    "exchanged_sum",
    "parts_of_all",
    "parts_to_all",
    "sent_sum",
]

#: Up to so many bytes of all ranks together each gets all: it takes as long as a round of messages.
_FEW_BYTES = 2**19


def cuts(length: int, parts: int) -> list[int]:
    """Return where `length` elements are cut into parts that differ by one at most.

    Examples
    --------
    >>> cuts(7, 3)
    [0, 2, 4, 7]
    """
    return [length * part // parts for part in range(parts + 1)]


def add_in_pairs(addends: Sequence[np.ndarray], out: np.ndarray) -> None:
    """Write the sum of arrays into `out`, which is none of them.

    Halves are added as singles and rounded once.

    Examples
    --------
    >>> out = np.zeros(1, np.float16)
    >>> add_in_pairs([np.array([one], np.float16) for one in (2048, 1, 1)], out)
    >>> out.tolist()
    [2050.0]
    """
    if out.dtype == np.float16:
        singles = [_cast(addend, np.empty(addend.shape, np.float32)) for addend in addends]
        _cast(_added(singles, singles[0]), out)
        return
    total = _added(addends, out)
    if total is not out:
        out[...] = total


def _cast(array: np.ndarray, out: np.ndarray) -> np.ndarray:
    """Write an array into one of another type: NumPy takes 20 times as long with halves.

    With those below 6e-5, which gradients often are, it is a thousand times.
    """
    kernels.cast(F.from_numpy(array[...]), F.from_numpy(out[...]))
    return out


def _added(addends: Sequence[np.ndarray], out: np.ndarray) -> np.ndarray:
    """Return the sum: the only addend, or else `out`, into which it is written."""
    if len(addends) == 1:
        return addends[0]
    # As many on the left as make a full tree.
    half = 1 << (len(addends) - 1).bit_length() - 1
    left, right = addends[:half], addends[half:]
    spare = out if len(right) == 1 else np.empty_like(out)
    found: np.ndarray = np.add(_added(left, out), _added(right, spare), out=out)
    return found


def exchanged_sum(comm: Any, addend: np.ndarray, total: np.ndarray) -> Steps[None]:
    """Write the sum over a communicator's ranks, of flat arrays, into `total`.

    Parameters
    ----------
    comm : mpi4py.MPI.Comm
    addend, total : numpy.ndarray
        May be the same.
    """
    if comm.size * addend.nbytes <= _FEW_BYTES:
        copies = np.empty((comm.size, addend.size), addend.dtype)
        yield from told_to_all(comm, addend, copies)
        add_in_pairs(list(copies), total)
        return
    ends = cuts(addend.size, comm.size)
    addends = yield from parts_of_all(comm, addend, ends)
    if comm.size > 2 and np.may_share_memory(addend, total):
        addends[comm.rank] = addends[comm.rank].copy()  # sums of pairs are kept in `total`
    add_in_pairs(addends, total[ends[comm.rank] : ends[comm.rank + 1]])
    yield from parts_to_all(comm, total, ends)


def parts_of_all(comm: Any, array: np.ndarray, ends: Sequence[int]) -> Steps[list[np.ndarray]]:
    """Return this rank's part of the flat arrays of all ranks, by rank.

    Rank r has the part from ``ends[r]`` to ``ends[r + 1]``; its own is no copy.
    """
    parts = _parts(array, ends)
    mine = parts[comm.rank]
    copies = [mine if rank == comm.rank else np.empty_like(mine) for rank in range(comm.size)]
    yield from exchange(comm, parts, copies)
    return copies


def parts_to_all(comm: Any, array: np.ndarray, ends: Sequence[int]) -> Steps[None]:
    """Give this rank's part of an array to all ranks, and get theirs; see `parts_of_all`."""
    parts = _parts(array, ends)
    yield from exchange(comm, [parts[comm.rank]] * comm.size, parts)


def _parts(array: np.ndarray, ends: Sequence[int]) -> list[np.ndarray]:
    return [array[begin:end] for begin, end in pairwise(ends)]


def sent_sum(comm: Any, addend: np.ndarray, total: np.ndarray, in_halves: bool) -> Steps[None]:
    """Do as `exchanged_sum`; singles travel in halves where that is wished."""
    if not in_halves or addend.dtype != np.float32:
        yield from exchanged_sum(comm, addend, total)
        return
    halves = _cast(addend, np.empty(addend.shape, np.float16))
    yield from exchanged_sum(comm, halves, halves)
    _cast(halves, total)
