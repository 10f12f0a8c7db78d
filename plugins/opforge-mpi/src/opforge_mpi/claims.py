"""`Claim`: the collective that a rank is about to run, and the error if ranks differ.

Every collective starts with an exchange of claims, so that ranks that have reached different points
of the program, or pass different arrays, raise an error instead of waiting forever.
"""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import zip_longest
from typing import Any

import numpy as np

from .errors import DistributedError

__all__ = ["END", "Claim", "described", "mismatch_error"]

#: Verb of the claim of a program that has reached its end.
END = "the end of its program"


@dataclass(frozen=True, slots=True)
class Claim:
    """Description of a collective: a verb, and the arrays it applies to.

    Parameters
    ----------
    verb : str
        For example ``"sum"``.
    items : tuple of str
        For example ``("dense0_weight (3, 4) float32",)``.

    Examples
    --------
    >>> str(Claim("sum", ("w (2,) float32", "b (1,) float32")))
    'sum of w (2,) float32 and 1 more'
    """

    verb: str
    items: tuple[str, ...] = ()

    def text(self) -> bytes:
        """Return the claim serialized for exchange between ranks."""
        return json.dumps([self.verb, self.items]).encode()

    def digest(self) -> int:
        """Return a 64-bit hash, equal for equal claims."""
        return _digest(self)

    def __str__(self) -> str:
        if not self.items:
            return self.verb
        more = f" and {len(self.items) - 1} more" if len(self.items) > 1 else ""
        return f"{self.verb} of {self.items[0]}{more}"


@lru_cache(maxsize=1024)  # training repeats the same claims
def _digest(claim: Claim) -> int:
    found = hashlib.blake2b(claim.text(), digest_size=8).digest()
    return int.from_bytes(found, "little", signed=True)


def described(names: Iterable[Any], arrays: Iterable[Any]) -> tuple[str, ...]:
    """Return the items of a claim for arrays: names, shapes and element types.

    Examples
    --------
    >>> described(["w"], [np.ones((2, 3))])
    ('w (2, 3) float64',)
    """
    return tuple(
        f"{name} {tuple(array.shape)} {np.dtype(array.dtype).name}"
        for name, array in zip(names, arrays, strict=True)
    )


def mismatch_error(texts: Sequence[bytes], hosts: Sequence[str]) -> DistributedError:
    """Return the error that every rank raises if claims differ.

    Parameters
    ----------
    texts : list of bytes
        `Claim.text` of each rank.
    hosts : list of str
        Host name of each rank.
    """
    claims = [Claim(verb, tuple(items)) for verb, items in map(json.loads, texts)]
    odd = _differing_ranks(claims)
    failed = [rank for rank in odd if claims[rank].verb.startswith(f"{END} after")]
    lines = [f"rank {rank} ({hosts[rank]}): {text}" for rank, text in enumerate(_texts(claims))]
    return DistributedError(
        "opforge-mpi: the ranks have reached different points of the program:\n  "
        + "\n  ".join(lines)
        + "\nAll ranks must run the same collectives, with arrays of the same names, shapes and "
        "types; broadcast_parameters gives them the same values",
        ranks=odd,
        teller=min(failed, default=0),  # the failed rank has reported the cause
    )


def _differing_ranks(claims: Sequence[Claim]) -> list[int]:
    """Return the ranks that have reached their end, or else those that differ from most."""
    ended = [rank for rank, claim in enumerate(claims) if claim.verb.startswith(END)]
    if ended:
        return ended
    usual = max(claims, key=claims.count)  # in a tie, the claim of the lowest rank
    return [rank for rank, claim in enumerate(claims) if claim != usual]


def _texts(claims: Sequence[Claim]) -> list[str]:
    """Return the text for each claim; if the verbs are equal, with the first item that differs."""
    if len({claim.verb for claim in claims}) > 1:
        return [str(claim) for claim in claims]
    for items in zip_longest(*(claim.items for claim in claims), fillvalue="nothing more"):
        if len(set(items)) > 1:
            return [f"{claims[0].verb} of {item}" for item in items]
    return [str(claim) for claim in claims]
