"""Tracking of sizes that code reads from symbols: a graph then holds for these sizes only.

A size that is unknown until the graph runs has no number at all, so reading it is an error.
"""

import threading
from contextlib import AbstractContextManager

from ..base.errors import UnknownShapeError
from ..base.thread_values import assigned
from ..base.traps import program_line

__all__ = ["ignoring_sizes", "mark_sizes_read", "tracking_sizes", "unknown_sizes"]


class SizeReads(threading.local):
    """State of one thread: where sizes of a symbol were read first, and the first unknown ones."""

    were_read = False
    line: str | None = None
    unknown: str | None = None


_reads = SizeReads()


def mark_sizes_read() -> None:
    """Record that sizes of a symbol were read."""
    if not _reads.were_read:
        _reads.were_read, _reads.line = True, program_line()


def unknown_sizes(message: str) -> UnknownShapeError:
    """Record that unknown sizes of a symbol were read, and return the error to raise."""
    mark_sizes_read()
    if _reads.unknown is None:
        _reads.unknown = message
    return UnknownShapeError(message)


def tracking_sizes() -> AbstractContextManager[SizeReads]:
    """Return a context whose object has `were_read`, `line` and `unknown`.

    `were_read` is True if sizes have been read in it, first in `line` of the program. `unknown`
    describes the first unknown sizes that were read, and is None if all were known.

    Examples
    --------
    >>> with tracking_sizes() as sizes:
    ...     mark_sizes_read()
    ...     print(sizes.were_read, sizes.unknown)
    True None
    """
    return assigned(_reads, were_read=False, line=None, unknown=None)


def ignoring_sizes() -> AbstractContextManager[object]:
    """Return a context in which reads of known sizes are not tracked."""
    return assigned(_reads, were_read=False, line=None)
