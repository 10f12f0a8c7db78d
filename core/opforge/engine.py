"""The engine's public face: pushed tasks, their variables, and how many threads kernels use.

Operators run on the calling thread, split over `get_num_threads()` threads where that pays; the
engine is for work of one's own that shall run beside them. It imports the native and base layers.
Nothing here changes what a program computes, only when and on which thread.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from opforge.native.array import Var as Var
from opforge.native.array import push as push
from opforge.native.array import write_stamp as write_stamp
from opforge.native.threads.engine import wait_all as waitall
from opforge.native.threads.parallel import get_num_threads as get_num_threads
from opforge.native.threads.parallel import set_num_threads as set_num_threads

__all__ = [
    "Var",
    "bulk",
    "get_num_threads",
    "push",
    "set_bulk_size",
    "set_num_threads",
    "waitall",
    "write_stamp",
]

_DEFAULT_BULK_SIZE = 15
_bulk_size = _DEFAULT_BULK_SIZE


def set_bulk_size(size: int) -> int:
    """Set how many operators MXNet would bundle into one task of its engine.

    Operators of opforge run on the calling thread, so that there is nothing to bundle: the number
    is kept for programs that set and restore it, and changes nothing else.

    Parameters
    ----------
    size : int, at least 0
        The new number.

    Returns
    -------
    int
        The number before.

    Raises
    ------
    ValueError
        `size` is negative.

    Examples
    --------
    >>> before = set_bulk_size(4)
    >>> set_bulk_size(before)
    4
    """
    global _bulk_size
    if size < 0:
        raise ValueError(f"set_bulk_size: got size={size!r}, expected an integer of at least 0")
    before, _bulk_size = _bulk_size, int(size)
    return before


@contextmanager
def bulk(size: int) -> Iterator[None]:
    """Set the bulk size for a block, see `set_bulk_size`.

    Parameters
    ----------
    size : int, at least 0
        The number inside the block.

    Examples
    --------
    >>> with bulk(10):
    ...     set_bulk_size(10)
    10
    """
    before = set_bulk_size(size)
    try:
        yield
    finally:
        set_bulk_size(before)
