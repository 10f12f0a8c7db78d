"""Timing of calls that are not operators: key-value stores, data loading and similar."""

from ..native.threads import spans

__all__ = ["timed"]

_INTERFACE: int = spans.names_of_watched()["interface"]


def timed(category: str, name: str) -> spans.Stopwatch:
    """Return a ``with`` block that the profiler records if `profile_api` is set.

    Parameters
    ----------
    category, name : str

    Examples
    --------
    >>> with timed("Data", "DataLoader.next"):
    ...     pass
    """
    return spans.Stopwatch(spans.site(category, name), _INTERFACE)
