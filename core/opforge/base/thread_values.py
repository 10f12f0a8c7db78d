"""Thread-local values that are set for the duration of a block. Layer 0.

Used for modes, the graph being traced, and a journal.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

__all__ = ["assigned"]

Values = TypeVar("Values", bound=threading.local)


@contextmanager
def assigned(values: Values, **changed: Any) -> Iterator[Values]:
    """Assign attributes of `values` for the block, and restore the old ones after it.

    Invariant: a single interrupt, at any point, cannot leave the new values behind.

    Parameters
    ----------
    values : threading.local
        Must have the assigned attributes, at least as class attributes.
    **changed
        The new values.

    Yields
    ------
    threading.local
        `values` itself.

    Examples
    --------
    >>> class Mode(threading.local):
    ...     verbose = False
    >>> mode = Mode()
    >>> with assigned(mode, verbose=True):
    ...     print(mode.verbose)
    True
    >>> mode.verbose
    False
    """
    before = {name: getattr(values, name) for name in changed}
    own = vars(values)
    try:
        try:
            own.update(changed)
            yield values
        finally:
            own.update(before)
    finally:  # again, in case an interrupt arrived in the line above
        own.update(before)
