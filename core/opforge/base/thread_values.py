"""Values of one thread that hold for a block: modes, the graph being traced, a journal. Layer 0."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

__all__ = ["assigned"]

Values = TypeVar("Values", bound=threading.local)


@contextmanager
def assigned(values: Values, **changed: Any) -> Iterator[Values]:
    """Assign attributes of `values` for the block, and put the old ones back after it.

    Invariant: one interrupt, wherever it arrives, cannot leave the new values behind.

    Parameters
    ----------
    values : threading.local
        Has the attributes that are assigned, as class attributes at least.
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
    finally:  # again, for an interrupt that arrived at the line above
        own.update(before)
