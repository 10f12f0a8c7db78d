"""`Claim`: what a rank is about to do with the others, and what to say where they differ.

Every collective begins with an exchange of claims, so that ranks which have come to different
places of the program, or with different arrays, learn it there instead of waiting for ever.
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

__all__ = ["END", "Claim", "described", "disagreement"]

#: What the claim of a program that has come to its end says.
END = "the end of its program"


@dataclass(frozen=True, slots=True)
class Claim:
    """Something to do, and what with.

    Parameters
    ----------
    verb : str
        For instance ``"sum"``.
    items : tuple of str
        For instance ``("dense0_weight (3, 4) float32",)``.

    Examples
    --------
    >>> str(Claim("sum", ("w (2,) float32", "b (1,) float32")))
    'sum of w (2,) float32 and 1 more'
    """

    verb: str
    items: tuple[str, ...] = ()

    def text(self) -> bytes:
        """Return what ranks send each other to compare."""
        return json.dumps([self.verb, self.items]).encode()

    def digest(self) -> int:
        """Return 64 bits that are equal for equal claims, and for no others in practice."""
        return _digest(self)

    def __str__(self) -> str:
        if not self.items:
            return self.verb
        more = f" and {len(self.items) - 1} more" if len(self.items) > 1 else ""
        return f"{self.verb} of {self.items[0]}{more}"


@lru_cache(maxsize=1024)  # training claims the same again and again
def _digest(claim: Claim) -> int:
    found = hashlib.blake2b(claim.text(), digest_size=8).digest()
    return int.from_bytes(found, "little", signed=True)


def described(names: Iterable[Any], arrays: Iterable[Any]) -> tuple[str, ...]:
    """Return the items of a claim about arrays: names, shapes and element types.

    Examples
    --------
    >>> described(["w"], [np.ones((2, 3))])
    ('w (2, 3) float64',)
    """
    return tuple(
        f"{name} {tuple(array.shape)} {np.dtype(array.dtype).name}"
        for name, array in zip(names, arrays, strict=True)
    )


def disagreement(texts: Sequence[bytes], hosts: Sequence[str]) -> DistributedError:
    """Return the error that every rank raises where claims differ.

    Parameters
    ----------
    texts : list of bytes
        `Claim.text` of each rank.
    hosts : list of str
        The machine of each rank.
    """
    claims = [Claim(verb, tuple(items)) for verb, items in map(json.loads, texts)]
    odd = _to_blame(claims)
    failed = [rank for rank in odd if claims[rank].verb.startswith(f"{END} after")]
    lines = [f"rank {rank} ({hosts[rank]}): {said}" for rank, said in enumerate(_told(claims))]
    return DistributedError(
        "opforge-mpi: the ranks have come to different places:\n  "
        + "\n  ".join(lines)
        + "\nAll ranks must take the same steps, with arrays of the same names, shapes and types; "
        "broadcast_parameters gives them the same values",
        ranks=odd,
        teller=min(failed, default=0),  # who failed has told why
    )


def _to_blame(claims: Sequence[Claim]) -> list[int]:
    """Return the ranks that have come to their end, else those that differ from most."""
    ended = [rank for rank, claim in enumerate(claims) if claim.verb.startswith(END)]
    if ended:
        return ended
    usual = max(claims, key=claims.count)  # of equally frequent ones the lowest rank's
    return [rank for rank, claim in enumerate(claims) if claim != usual]


def _told(claims: Sequence[Claim]) -> list[str]:
    """Return what to say of each claim: where all do the same, the first item that differs."""
    if len({claim.verb for claim in claims}) > 1:
        return [str(claim) for claim in claims]
    for items in zip_longest(*(claim.items for claim in claims), fillvalue="nothing more"):
        if len(set(items)) > 1:
            return [f"{claims[0].verb} of {item}" for item in items]
    return [str(claim) for claim in claims]
