"""Transactions of the registry, which roll back a thread's registrations if a block fails.

Invariant: a rollback is complete, and in reverse order.
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
        Whether registrations are kept if an enclosing transaction fails, as for a plugin that was
        loaded because another one needed it.
    """
    # A journal for each thread instead of a lock: a lock that is held while a plugin is imported
    # could deadlock with a thread that holds the import lock.
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
    """Undo everything that this thread registers in the block, even if it succeeds.

    Plugins that are loaded in it stay loaded, as in any `transaction`.
    """
    # Raised inside and caught outside, because a transaction rolls back only on exceptions.
    try:
        with transaction():
            yield
            raise _BlockEnded
    except _BlockEnded:
        pass


class _BlockEnded(Exception):
    """Exception that ends the transaction of `temporary`."""


class _Journal(threading.local):
    """Undo functions of this thread's innermost transaction; None outside transactions."""

    undo: list[Callable[[], None]] | None = None


_journal = _Journal()


def note(undo: Callable[[], None]) -> None:
    """Record how to undo an action of this thread, if it is inside a transaction."""
    journal = _journal.undo
    if journal is not None:
        journal.append(undo)
