"""Tracking of sizes that a program reads from symbols: its graph then holds for these alone."""

import threading
from contextlib import AbstractContextManager

from ..base.thread_values import assigned

__all__ = ["note_sizes_read", "watching_sizes"]


class Watch(threading.local):
    """Of one thread: whether somebody asked a symbol for its sizes."""

    were_read = False


_watch = Watch()


def note_sizes_read() -> None:
    """Say that somebody asked a symbol for its sizes."""
    _watch.were_read = True


def watching_sizes() -> AbstractContextManager[Watch]:
    """Yield an object whose `were_read` tells what happened in the block so far.

    Examples
    --------
    >>> with watching_sizes() as sizes:
    ...     note_sizes_read()
    ...     print(sizes.were_read)
    True
    """
    return assigned(_watch, were_read=False)
