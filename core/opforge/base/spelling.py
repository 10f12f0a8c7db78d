"""Suggestions of similar names for error messages.

Layer 0. difflib is imported on first use, because only programs with an error need it.
"""

from collections.abc import Iterable

__all__ = ["close_names"]


def close_names(name: str, known: Iterable[str], count: int = 3, cutoff: float = 0.6) -> list[str]:
    """Return the known names that are most similar to `name`, best first.

    Parameters
    ----------
    name : str
    known : iterable of str
    count : int, default 3
        Maximum number of names.
    cutoff : float, default 0.6
        Required similarity, from 0 to 1.

    Examples
    --------
    >>> close_names("sotfmax", ["softmax", "softmin", "tile"])
    ['softmax', 'softmin']
    """
    from difflib import get_close_matches

    return get_close_matches(name, list(known), n=count, cutoff=cutoff)
