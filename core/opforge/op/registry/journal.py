"""Transactions of the registry: what a thread registers in a block that fails is undone.

Invariant: as a whole, and in the opposite order.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ...base.thread_values import assigned

__all__ = ["note", "temporary", "transaction"]


@contextmanager
def transaction(independent: bool = False) -> Iterator[None]:
    """Undo everything that this thread registers in the block, if the block raises.

    Parameters
    ----------
    independent : bool, default False
        Whether it stays when a surrounding transaction fails, as a plugin stays that was loaded
        because another one needed it.
    """
    # A journal for each thread instead of a lock: a lock held while a plugin is imported could
    # wait for a thread that holds the import lock and waits for this one.
    outer = _journal.undo
    mine: list[Callable[[], None]] = []
    with assigned(_journal, undo=mine):
        try:
            yield
        except BaseException:
            for undo in reversed(mine):
                undo()
            raise
    if outer is not None and not independent:
        outer.extend(mine)


@contextmanager
def temporary() -> Iterator[None]:
    """Undo everything that this thread registers in the block, also if it succeeds.

    Plugins that are loaded in it stay, as in any `transaction`.
    """
    # Raised inside and caught outside: the transaction knows one way to undo.
    try:
        with transaction():
            yield
            raise _BlockEnded
    except _BlockEnded:
        pass


class _BlockEnded(Exception):
    """Ends the transaction of `temporary`."""


class _Journal(threading.local):
    """Of one thread: what the innermost transaction would undo; None outside of them."""

    undo: list[Callable[[], None]] | None = None


_journal = _Journal()


def note(undo: Callable[[], None]) -> None:
    """Remember how to undo what this thread does, if it is inside a transaction."""
    journal = _journal.undo
    if journal is not None:
        journal.append(undo)
