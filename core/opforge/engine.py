"""Public interface of the engine: pushed tasks, their variables, and the number of kernel threads.

Operators run on the calling thread, split over `get_num_threads()` threads when that pays off; the
engine is for a program's own tasks that run concurrently with them. It imports the native and base
layers. Nothing here changes the results of a program, only when and on which thread they are
computed.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from opforge.base.integers import as_integer
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
    """Set the number of operators that MXNet would bundle into one engine task.

    Operators of opforge run on the calling thread, so there is nothing to bundle: the number is
    kept for programs that set and restore it, and has no other effect.

    Parameters
    ----------
    size : int, at least 0
        New bulk size.

    Returns
    -------
    int
        Previous bulk size.

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
    chosen = as_integer(size, "size of set_bulk_size")
    if chosen < 0:
        raise ValueError(f"set_bulk_size: got size={size!r}, expected an integer of at least 0")
    before, _bulk_size = _bulk_size, chosen
    return before


@contextmanager
def bulk(size: int) -> Iterator[None]:
    """Set the bulk size within a ``with`` block; see `set_bulk_size`.

    Parameters
    ----------
    size : int, at least 0
        Bulk size inside the block.

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
