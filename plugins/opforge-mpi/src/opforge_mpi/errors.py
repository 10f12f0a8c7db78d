"""Errors between ranks."""

from collections.abc import Iterable

from opforge.plugin_api import OpforgeError

__all__ = ["DistributedError"]


class DistributedError(OpforgeError):
    """Error raised if ranks disagree, one has not arrived in time, or one has failed.

    Parameters
    ----------
    message : str
    ranks : iterable of int
        The ranks that caused the error, if known.
    reporting_rank : int, optional
        Rank that prints the error if it is not caught; default: each rank that raises it.
    """

    def __init__(
        self, message: str, ranks: Iterable[int] = (), reporting_rank: int | None = None
    ) -> None:
        super().__init__(message)
        self.ranks = tuple(ranks)
        self.reporting_rank = reporting_rank
