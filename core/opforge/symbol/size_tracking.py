"""Tracking of sizes that code reads from symbols: a graph then holds for these sizes only."""

import threading
from contextlib import AbstractContextManager

from ..base.thread_values import assigned

__all__ = ["mark_sizes_read", "tracking_sizes"]


class SizeReads(threading.local):
    """State of one thread: whether sizes of a symbol were read."""

    were_read = False


_reads = SizeReads()


def mark_sizes_read() -> None:
    """Record that sizes of a symbol were read."""
    _reads.were_read = True


def tracking_sizes() -> AbstractContextManager[SizeReads]:
    """Return a context whose object has `were_read`, True if sizes have been read in it.

    Examples
    --------
    >>> with tracking_sizes() as sizes:
    ...     mark_sizes_read()
    ...     print(sizes.were_read)
    True
    """
    return assigned(_reads, were_read=False)
