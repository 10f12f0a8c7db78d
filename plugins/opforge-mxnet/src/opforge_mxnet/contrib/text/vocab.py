"""`Vocabulary`: mapping between tokens and indices."""

import operator
from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Any

__all__ = ["UNKNOWN", "Vocabulary"]

#: Index of the unknown token.
UNKNOWN = 0


class Vocabulary:
    """Indexed tokens: the unknown token is 0, then reserved ones, then others by frequency.

    Equally frequent tokens are sorted.

    Parameters
    ----------
    counter : collections.Counter, optional
        Number of occurrences of each token; tokens have a single type, usually str.
    most_freq_count : int, optional
        Maximum number of counted tokens.
    min_freq : int, default 1
        Minimum number of occurrences.
    unknown_token : hashable, default "<unk>"
        Token that represents all others.
    reserved_tokens : list of hashable, optional
        Tokens that are always included, for instance ``["<pad>"]``.

    Raises
    ------
    AssertionError
        A number is too small, `counter` is not a Counter, or reserved tokens are not unique.

    Examples
    --------
    >>> words = Vocabulary(Counter("to be or not to be".split()), min_freq=2)
    >>> words.idx_to_token
    ['<unk>', 'be', 'to']
    >>> words.to_indices(["to", "see"])
    [2, 0]
    """

    def __init__(
        self,
        counter: "Counter[Any] | None" = None,
        most_freq_count: int | None = None,
        min_freq: int = 1,
        unknown_token: Hashable = "<unk>",
        reserved_tokens: Sequence[Hashable] | None = None,
    ) -> None:
        assert min_freq > 0, f"Vocabulary: got min_freq={min_freq}, expected at least 1"
        assert most_freq_count is None or most_freq_count >= 0, (
            f"Vocabulary: got most_freq_count={most_freq_count}, expected at least 0"
        )
        first = [unknown_token, *(reserved_tokens or ())]
        assert len(set(first)) == len(first), (
            f"Vocabulary: reserved_tokens {reserved_tokens} must be different from each other and "
            f"from unknown_token={unknown_token!r}"
        )
        self._unknown_token = unknown_token
        self._reserved_tokens = None if reserved_tokens is None else list(reserved_tokens)
        self._idx_to_token: list[Any] = first
        self._token_to_idx = {token: at for at, token in enumerate(first)}
        if counter is not None:
            self._add_counted(counter, most_freq_count, min_freq)

    def _add_counted(self, counter: Any, most: int | None, least: int) -> None:
        assert isinstance(counter, Counter), (
            f"Vocabulary: counter is {type(counter).__name__}, expected a collections.Counter"
        )
        by_token = sorted(item for item in counter.items() if item[1] >= least)
        by_count = sorted(by_token, key=operator.itemgetter(1), reverse=True)
        new = [token for token, _ in by_count if token not in self._token_to_idx]
        for token in new[:most]:
            self._add(token)

    def _add(self, token: Any) -> None:
        self._token_to_idx[token] = len(self._idx_to_token)
        self._idx_to_token.append(token)

    def __len__(self) -> int:
        return len(self._idx_to_token)

    @property
    def token_to_idx(self) -> dict[Any, int]:
        """Index of each token."""
        return self._token_to_idx

    @property
    def idx_to_token(self) -> list[Any]:
        """Tokens in the order of their indices."""
        return self._idx_to_token

    @property
    def unknown_token(self) -> Any:
        """Token that replaces every unknown one."""
        return self._unknown_token

    @property
    def reserved_tokens(self) -> list[Any] | None:
        """Tokens that were reserved; None if none were."""
        return self._reserved_tokens

    def to_indices(self, tokens: Any) -> Any:
        """Return the index of a token, or those of a list of tokens.

        Parameters
        ----------
        tokens : hashable or list of hashable

        Returns
        -------
        int or list of int
            0 for unknown tokens.
        """
        if isinstance(tokens, list):
            return [self._token_to_idx.get(token, UNKNOWN) for token in tokens]
        return self._token_to_idx.get(tokens, UNKNOWN)

    def to_tokens(self, indices: Any) -> Any:
        """Return the token with an index, or those of a list of indices.

        Parameters
        ----------
        indices : int or list of int

        Returns
        -------
        hashable or list of hashable

        Raises
        ------
        ValueError
            An index is out of range.
        """
        if isinstance(indices, list):
            return [self._token(index) for index in indices]
        return self._token(indices)

    def _token(self, index: Any) -> Any:
        try:
            at = operator.index(index)
        except TypeError:
            at = -1
        if not 0 <= at < len(self):
            raise ValueError(
                f"Token index {index} in the provided `indices` is invalid: expected an integer "
                f"from 0 to {len(self) - 1}"
            )
        return self._idx_to_token[at]
