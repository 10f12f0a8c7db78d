"""Framing of records in a file: a magic word, a word of kind and length, and the payload.

Payloads are padded to a multiple of four bytes. A magic word in a payload at a multiple of four
bytes is removed, and the record is split into frames there; the reader inserts it again. Thus every
aligned magic word of a file starts a frame, which lets readers resynchronize after damage.
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
    "encode_frames",
    "padded_length",
    "parse_head",
]

#: Word at the start of each frame, as bytes.
MAGIC = struct.pack("<I", 0xCED7230A)
_MAGIC_WORD = np.uint32(0xCED7230A)
#: Kinds of frames: an entire record, or the first, a middle or the last frame of a split record.
WHOLE, FIRST, MIDDLE, LAST = range(4)
#: Two words before a payload; the upper 3 bits of the second are the kind, the others the length.
HEAD = struct.Struct("<4sI")
_LENGTH_BITS = 29
#: Upper bound of the length of a payload.
LIMIT = 1 << _LENGTH_BITS


class DamagedRecordError(OpforgeError):
    """A record is damaged; records before and after it can be read.

    Parameters
    ----------
    message : str
    offset : int
        Offset of the record in the file.
    resume : int
        Offset at which the next intact record may start.
    """

    def __init__(self, message: str, offset: int, resume: int) -> None:
        super().__init__(message)
        self.offset = offset
        self.resume = resume

    def __reduce__(self) -> Any:
        return type(self), (self.args[0], self.offset, self.resume)


def encode_frames(payload: bytes) -> bytes:
    """Return the frames of one record.

    Parameters
    ----------
    payload : bytes
        Less than 512 MiB, because lengths have 29 bits.

    Raises
    ------
    OpforgeError
        `payload` is longer.

    Examples
    --------
    >>> encode_frames(b"abcde").hex(" ", 4)
    '0a23d7ce 05000000 61626364 65000000'
    """
    if len(payload) >= LIMIT:
        raise OpforgeError(
            f"recordio: a record of {len(payload)} bytes is too long; expected less than {LIMIT}; "
            "split it into several records"
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


def parse_head(head: bytes) -> tuple[int, int] | None:
    """Return kind and length of the frame that starts with `head`, or None if it is invalid."""
    if len(head) < HEAD.size:
        return None
    magic, word = HEAD.unpack_from(head)
    kind, length = word >> _LENGTH_BITS, word & (LIMIT - 1)
    return (kind, length) if magic == MAGIC and kind <= LAST else None


def aligned_magics(content: bytes) -> list[int]:
    """Return the offsets of magic words at multiples of four bytes.

    Examples
    --------
    >>> aligned_magics(b"word" + MAGIC + b"x" + MAGIC)
    [4]
    """
    words = np.frombuffer(content, "<u4", len(content) // 4)
    return [4 * int(i) for i in np.flatnonzero(words == _MAGIC_WORD)]


def padded_length(length: int) -> int:
    """Return the number of bytes that a payload of `length` bytes occupies in the file.

    Examples
    --------
    >>> padded_length(0), padded_length(5), padded_length(8)
    (0, 8, 8)
    """
    return -(-length // 4) * 4


def _frame(kind: int, payload: bytes) -> bytes:
    head = HEAD.pack(MAGIC, kind << _LENGTH_BITS | len(payload))
    return b"".join((head, payload, bytes(padded_length(len(payload)) - len(payload))))
