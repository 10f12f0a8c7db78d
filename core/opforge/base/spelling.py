"""Close names for error messages: what somebody may have meant.

Layer 0. difflib is imported when the first message is made: only a program with an error needs it.
"""

from collections.abc import Iterable

__all__ = ["close_names"]


def close_names(name: str, known: Iterable[str], count: int = 3, cutoff: float = 0.6) -> list[str]:
    """Return the names that are most like `name`, the closest first.

    Parameters
    ----------
    name : str
    known : iterable of str
    count : int, default 3
        How many to return at most.
    cutoff : float, default 0.6
        How alike they have to be, from 0 to 1.

    Examples
    --------
    >>> close_names("sotfmax", ["softmax", "softmin", "tile"])
    ['softmax', 'softmin']
    """
    from difflib import get_close_matches

    return get_close_matches(name, list(known), n=count, cutoff=cutoff)
