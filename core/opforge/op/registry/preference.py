"""Preference for a distribution's short names inside a block, in the current context only.

Namespaces cache functions as attributes (`functions`), so that calls have no overhead. The names
that a preference changes are not cached while it applies in any context.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from ...base.context_variables import assign
from .naming import normalize

__all__ = ["preferred", "preferring"]

_preferred: ContextVar[tuple[str, ...]] = ContextVar("opforge_preferred", default=())


def preferred() -> tuple[str, ...]:
    """Return the normalized names of the preferred distributions, innermost block first."""
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
    token = assign(_preferred, (normalize(distribution), *_preferred.get()))
    try:
        yield
    finally:
        _preferred.reset(token)
