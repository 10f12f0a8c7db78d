"""Counting of the tokens in a text."""

import re
from collections import Counter

__all__ = ["count_tokens_from_str"]


def count_tokens_from_str(
    source_str: str,
    token_delim: str = " ",
    seq_delim: str = "\n",
    to_lower: bool = False,
    counter_to_update: "Counter[str] | None" = None,
) -> "Counter[str]":
    r"""Count the occurrences of each token in a text.

    Parameters
    ----------
    source_str : str
    token_delim, seq_delim : str
        Regular expressions of the delimiters of tokens and of sequences.
    to_lower : bool, default False
        Count tokens in lower case.
    counter_to_update : collections.Counter, optional
        Add to these counts instead of new ones.

    Returns
    -------
    collections.Counter

    Examples
    --------
    >>> count_tokens_from_str(" Life is great ! \n life is good . \n", to_lower=True)["life"]
    2
    """
    found = filter(None, re.split(f"{token_delim}|{seq_delim}", source_str))
    counts: Counter[str] = Counter() if counter_to_update is None else counter_to_update
    counts.update(token.lower() if to_lower else token for token in found)
    return counts
