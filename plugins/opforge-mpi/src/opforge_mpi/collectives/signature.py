"""`CollectiveSignature`: the collective that a rank starts, and the error if ranks differ.

Every collective starts with an exchange of signatures, so that ranks that have reached different
points of the program, or pass different arrays, raise an error instead of waiting forever.
"""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import zip_longest
from typing import Any

import numpy as np

from ..errors import DistributedError

__all__ = ["END_OF_PROGRAM", "CollectiveSignature", "describe_arrays", "mismatch_error"]

#: Operation of the signature of a program that has reached its end.
END_OF_PROGRAM = "the end of its program"


@dataclass(frozen=True, slots=True)
class CollectiveSignature:
    """Description of a collective: an operation, and the arrays it applies to.

    Parameters
    ----------
    operation : str
        For example ``"sum"``.
    items : tuple of str
        For example ``("dense0_weight (3, 4) float32",)``.

    Examples
    --------
    >>> str(CollectiveSignature("sum", ("w (2,) float32", "b (1,) float32")))
    'sum of w (2,) float32 and 1 more'
    """

    operation: str
    items: tuple[str, ...] = ()

    def text(self) -> bytes:
        """Return the signature serialized for exchange between ranks."""
        return json.dumps([self.operation, self.items]).encode()

    def digest(self) -> int:
        """Return a 64-bit hash, equal for equal signatures."""
        return _digest(self)

    def __str__(self) -> str:
        if not self.items:
            return self.operation
        more = f" and {len(self.items) - 1} more" if len(self.items) > 1 else ""
        return f"{self.operation} of {self.items[0]}{more}"


@lru_cache(maxsize=1024)  # training repeats the same signatures
def _digest(signature: CollectiveSignature) -> int:
    found = hashlib.blake2b(signature.text(), digest_size=8).digest()
    return int.from_bytes(found, "little", signed=True)


def describe_arrays(names: Iterable[Any], arrays: Iterable[Any]) -> tuple[str, ...]:
    """Return the items of a signature for arrays: names, shapes and element types.

    Examples
    --------
    >>> describe_arrays(["w"], [np.ones((2, 3))])
    ('w (2, 3) float64',)
    """
    return tuple(
        f"{name} {tuple(array.shape)} {np.dtype(array.dtype).name}"
        for name, array in zip(names, arrays, strict=True)
    )


def mismatch_error(texts: Sequence[bytes], hosts: Sequence[str]) -> DistributedError:
    """Return the error that every rank raises if signatures differ.

    Parameters
    ----------
    texts : list of bytes
        `CollectiveSignature.text` of each rank.
    hosts : list of str
        Host name of each rank.
    """
    signatures = [
        CollectiveSignature(operation, tuple(items)) for operation, items in map(json.loads, texts)
    ]
    odd = _differing_ranks(signatures)
    failed = [
        rank for rank in odd if signatures[rank].operation.startswith(f"{END_OF_PROGRAM} after")
    ]
    lines = [
        f"rank {rank} ({hosts[rank]}): {text}"
        for rank, text in enumerate(_descriptions(signatures))
    ]
    return DistributedError(
        "opforge-mpi: the ranks have reached different points of the program:\n  "
        + "\n  ".join(lines)
        + "\nAll ranks must run the same collectives, with arrays of the same names, shapes and "
        "types; broadcast_parameters gives them the same values",
        ranks=odd,
        reporting_rank=min(failed, default=0),  # the failed rank has reported the cause
    )


def _differing_ranks(signatures: Sequence[CollectiveSignature]) -> list[int]:
    """Return the ranks that have reached their end, or else those that differ from most."""
    ended = [
        rank
        for rank, signature in enumerate(signatures)
        if signature.operation.startswith(END_OF_PROGRAM)
    ]
    if ended:
        return ended
    usual = max(signatures, key=signatures.count)  # in a tie, the signature of the lowest rank
    return [rank for rank, signature in enumerate(signatures) if signature != usual]


def _descriptions(signatures: Sequence[CollectiveSignature]) -> list[str]:
    """Return a text for each signature; for equal operations, with the first item that differs."""
    if len({signature.operation for signature in signatures}) > 1:
        return [str(signature) for signature in signatures]
    for items in zip_longest(
        *(signature.items for signature in signatures), fillvalue="nothing more"
    ):
        if len(set(items)) > 1:
            return [f"{signatures[0].operation} of {item}" for item in items]
    return [str(signature) for signature in signatures]
