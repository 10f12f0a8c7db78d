"""Errors between ranks."""

from collections.abc import Iterable

from opforge.plugin_api import OpforgeError

__all__ = ["DistributedError"]


class DistributedError(OpforgeError):
    """Ranks disagree, one has not come in time, or one has failed.

    Parameters
    ----------
    message : str
    ranks : iterable of int
        Who is to blame, as far as that is known.
    teller : int, optional
        The rank that prints the error where nobody catches it; default: each that raises it.
    """

    def __init__(self, message: str, ranks: Iterable[int] = (), teller: int | None = None) -> None:
        super().__init__(message)
        self.ranks = tuple(ranks)
        self.teller = teller
