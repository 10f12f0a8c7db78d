"""Framing of records in a file: a magic word, a word of kind and length, and the payload.

A payload is padded to whole words, and a magic word in it at a multiple of four bytes is left out:
there the record is cut into frames, between which the reader puts the magic word again. So each
aligned magic word of a file begins a frame, which is how a reader finds its way behind damage.
"""

import struct
from typing import Any

import numpy as np

from opforge.plugin_api import OpforgeError

__all__ = [
    "FIRST",
    "HEAD",
    "LAST",
    "MAGIC",
    "MIDDLE",
    "WHOLE",
    "DamagedRecordError",
    "aligned_magics",
    "decoded",
    "frames_of",
    "padded",
]

#: The word that each frame begins with, as bytes.
MAGIC = struct.pack("<I", 0xCED7230A)
_MAGIC_WORD = np.uint32(0xCED7230A)
#: Kinds of frames: a record of one frame, and the frames of one that was cut.
WHOLE, FIRST, MIDDLE, LAST = range(4)
#: The two words in front of a payload; the second has the kind in its upper 3 bits.
HEAD = struct.Struct("<4sI")
_LENGTH_BITS = 29
#: Payloads are shorter than this.
LIMIT = 1 << _LENGTH_BITS


class DamagedRecordError(OpforgeError):
    """A record cannot be read; those before and after it can.

    Parameters
    ----------
    message : str
    offset : int
        Where in the file the record begins.
    resume : int
        Where the next record begins that may be whole.
    """

    def __init__(self, message: str, offset: int, resume: int) -> None:
        super().__init__(message)
        self.offset = offset
        self.resume = resume

    def __reduce__(self) -> Any:
        return type(self), (self.args[0], self.offset, self.resume)


def frames_of(payload: bytes) -> bytes:
    """Return the frames of one record.

    Parameters
    ----------
    payload : bytes
        Less than 512 MiB, as a length has 29 bits.

    Raises
    ------
    OpforgeError
        It is longer.

    Examples
    --------
    >>> frames_of(b"abcde").hex(" ", 4)
    '0a23d7ce 05000000 61626364 65000000'
    """
    if len(payload) >= LIMIT:
        raise OpforgeError(
            f"recordio: a record of {len(payload)} bytes is too long, expected less than {LIMIT}; "
            "cut it into several records"
        )
    cuts = aligned_magics(payload)
    if not cuts:
        return _frame(WHOLE, payload)
    starts = [0, *(cut + len(MAGIC) for cut in cuts)]
    kinds = [FIRST, *[MIDDLE] * (len(cuts) - 1), LAST]
    ends = [*cuts, len(payload)]
    return b"".join(
        _frame(kind, payload[start:end])
        for kind, start, end in zip(kinds, starts, ends, strict=True)
    )


def decoded(head: bytes) -> tuple[int, int] | None:
    """Return kind and length of the frame that begins with `head`; None where none does."""
    if len(head) < HEAD.size:
        return None
    magic, word = HEAD.unpack_from(head)
    kind, length = word >> _LENGTH_BITS, word & (LIMIT - 1)
    return (kind, length) if magic == MAGIC and kind <= LAST else None


def aligned_magics(content: bytes) -> list[int]:
    """Return where magic words stand at multiples of four bytes.

    Examples
    --------
    >>> aligned_magics(b"word" + MAGIC + b"x" + MAGIC)
    [4]
    """
    words = np.frombuffer(content, "<u4", len(content) // 4)
    return [4 * int(i) for i in np.flatnonzero(words == _MAGIC_WORD)]


def padded(length: int) -> int:
    """Return how many bytes a payload of `length` bytes takes in the file.

    Examples
    --------
    >>> padded(0), padded(5), padded(8)
    (0, 8, 8)
    """
    return -(-length // 4) * 4


def _frame(kind: int, payload: bytes) -> bytes:
    head = HEAD.pack(MAGIC, kind << _LENGTH_BITS | len(payload))
    return b"".join((head, payload, bytes(padded(len(payload)) - len(payload))))
