"""`prefer`: one distribution provides short names inside a block, in this context alone.

Functions that a namespace has handed out once stay in it as ordinary attributes, so that a call
costs nothing more (`functions`). A preference takes those that it changes out of the namespaces for
as long as it holds anywhere.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from ...base.context_variables import assign
from .naming import normalise

__all__ = ["preferred", "preferring"]

_preferred: ContextVar[tuple[str, ...]] = ContextVar("opforge_preferred", default=())


def preferred() -> tuple[str, ...]:
    """Return the normalised names of the preferred distributions, the inmost block's first."""
    return _preferred.get()


@contextmanager
def preferring(distribution: str) -> Iterator[None]:
    """Prefer a distribution for short names inside the block.

    Parameters
    ----------
    distribution : str

    Examples
    --------
    >>> with preferring("Acme_Ops"):
    ...     preferred()
    ('acme-ops',)
    """
    token = assign(_preferred, (normalise(distribution), *_preferred.get()))
    try:
        yield
    finally:
        _preferred.reset(token)
