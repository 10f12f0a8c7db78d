"""The lock under which first calls initialize what later ones share. Layer 0.

Deferred initialization, first traces of blocks and `Module.bind` run under it, one at a time in
the process, so that threads cannot wait for each other in a circle. It is reentrant, because blocks
contain blocks. Later calls do not take it.
"""

import os
import threading

__all__ = ["initializing"]

_locks = [threading.RLock()]


def initializing() -> "threading.RLock":
    """Return the lock, to be used in a ``with`` statement.

    Examples
    --------
    >>> with initializing():
    ...     with initializing():
    ...         print("reentrant")
    reentrant
    """
    return _locks[0]


def _replace() -> None:
    """Replace the lock in a forked process, where the thread that held it does not exist."""
    _locks[0] = threading.RLock()


os.register_at_fork(after_in_child=_replace)
