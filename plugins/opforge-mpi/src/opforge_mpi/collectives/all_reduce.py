"""Sum of an array over ranks, added in pairs: 0 and 1, 2 and 3, then these sums, and so on.

Each rank owns a part: it receives all ranks' copies of the part, adds them, and sends the sum to
all. For small arrays each rank receives and adds all parts, which saves a round of messages.
Each element is therefore the result of the same tree of additions for any MPI library and message
size, and every rank has the same bits. The sum of two, four or eight neighbors is a branch of this
tree: if groups of that size are summed first, the bits are the same, too.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from opforge.plugin_api import F, element_type, kernels

from ..transport.messages import all_gather_into, all_to_all
from ..transport.steps import Steps

__all__ = [
    "add_pairwise",
    "all_gather_parts",
    "all_reduce",
    "all_reduce_as_float16",
    "all_to_all_parts",
    "part_bounds",
]

#: Total size up to which each rank receives all data: it takes as long as a round of messages.
_SMALL_BYTES = 2**19


def part_bounds(length: int, parts: int) -> list[int]:
    """Return the bounds of `parts` parts of `length` elements, of sizes that differ by at most 1.

    Examples
    --------
    >>> part_bounds(7, 3)
    [0, 2, 4, 7]
    """
    return [length * part // parts for part in range(parts + 1)]


def add_pairwise(addends: Sequence[np.ndarray], out: np.ndarray) -> None:
    """Write the sum of arrays into `out`, which must not be one of them.

    16-bit floats are added in float32 and rounded once.

    Examples
    --------
    >>> out = np.zeros(1, np.float16)
    >>> add_pairwise([np.array([one], np.float16) for one in (2048, 1, 1)], out)
    >>> out.tolist()
    [2050.0]
    """
    if element_type(out.dtype).is_half:
        singles = [_cast(addend, np.empty(addend.shape, np.float32)) for addend in addends]
        _cast(_sum(singles, singles[0]), out)
        return
    total = _sum(addends, out)
    if total is not out:
        out[...] = total


def _cast(array: np.ndarray, out: np.ndarray) -> np.ndarray:
    """Convert an array into `out`, of another type, because NumPy is 20 times slower for float16.

    For subnormals, below 6e-5, which gradients often are, it is a thousand times slower.
    """
    kernels.cast(F.from_numpy(array[...]), F.from_numpy(out[...]))
    return out


def _sum(addends: Sequence[np.ndarray], out: np.ndarray) -> np.ndarray:
    """Return the sum: the only addend, or else `out`, to which it is written."""
    if len(addends) == 1:
        return addends[0]
    # The left side is the largest full binary tree.
    half = 1 << (len(addends) - 1).bit_length() - 1
    left, right = addends[:half], addends[half:]
    spare = out if len(right) == 1 else np.empty_like(out)
    result: np.ndarray = np.add(_sum(left, out), _sum(right, spare), out=out)
    return result


def all_reduce(comm: Any, addend: np.ndarray, total: np.ndarray) -> Steps[None]:
    """Write the sum of flat arrays over a communicator's ranks into `total`.

    Parameters
    ----------
    comm : mpi4py.MPI.Comm
    addend, total : numpy.ndarray
        May be the same array.
    """
    if comm.size * addend.nbytes <= _SMALL_BYTES:
        copies = np.empty((comm.size, addend.size), addend.dtype)
        yield from all_gather_into(comm, addend, copies)
        add_pairwise(list(copies), total)
        return
    ends = part_bounds(addend.size, comm.size)
    addends = yield from all_to_all_parts(comm, addend, ends)
    if comm.size > 2 and np.may_share_memory(addend, total):
        addends[comm.rank] = addends[comm.rank].copy()  # `total` holds intermediate sums
    add_pairwise(addends, total[ends[comm.rank] : ends[comm.rank + 1]])
    yield from all_gather_parts(comm, total, ends)


def all_to_all_parts(comm: Any, array: np.ndarray, ends: Sequence[int]) -> Steps[list[np.ndarray]]:
    """Return this rank's part of the flat arrays of all ranks, by rank.

    Rank r has the part from ``ends[r]`` to ``ends[r + 1]``; its own part is not copied.
    """
    parts = _parts(array, ends)
    mine = parts[comm.rank]
    copies = [mine if rank == comm.rank else np.empty_like(mine) for rank in range(comm.size)]
    yield from all_to_all(comm, parts, copies)
    return copies


def all_gather_parts(comm: Any, array: np.ndarray, ends: Sequence[int]) -> Steps[None]:
    """Send this rank's part of an array to all ranks, and receive theirs."""
    parts = _parts(array, ends)
    yield from all_to_all(comm, [parts[comm.rank]] * comm.size, parts)


def _parts(array: np.ndarray, ends: Sequence[int]) -> list[np.ndarray]:
    return [array[begin:end] for begin, end in pairwise(ends)]


def all_reduce_as_float16(
    comm: Any, addend: np.ndarray, total: np.ndarray, as_float16: bool
) -> Steps[None]:
    """Compute `all_reduce`, sending float32 arrays as float16 if `as_float16`."""
    if not as_float16 or addend.dtype != np.float32:
        yield from all_reduce(comm, addend, total)
        return
    halves = _cast(addend, np.empty(addend.shape, np.float16))
    yield from all_reduce(comm, halves, halves)
    _cast(halves, total)
