"""Reading records at offsets: any number of threads may share one file, which has no position.

Invariant: what is allocated is bounded by what the file holds, whatever its lengths say.
"""

import os
from collections.abc import Iterator
from contextlib import closing

import numpy as np

from opforge.plugin_api import OpforgeError

from .framing import (
    FIRST,
    HEAD,
    LAST,
    MAGIC,
    MIDDLE,
    WHOLE,
    DamagedRecordError,
    aligned_magics,
    decoded,
    padded,
)

__all__ = ["RecordFile", "label_counts", "offsets"]

_BLOCK = 1 << 20
#: What is read ahead of heads: small records take one read for several, large ones no more.
_HEADS = 1 << 12


class RecordFile:
    """A record file that is open for reading.

    Parameters
    ----------
    path : path-like
    ahead : int, default 0
        Bytes to read at a time where records are read one after the other.

    Raises
    ------
    FileNotFoundError
        There is no such file.
    """

    def __init__(self, path: str | os.PathLike[str], ahead: int = 0) -> None:
        self.path = os.fspath(path)
        self._ahead = ahead
        # Offset and bytes of what was read last, replaced as one: threads may share it.
        self._window = (0, b"")
        self._file = open(self.path, "rb", buffering=0)  # noqa: SIM115 - closed by close()
        self._descriptor = self._file.fileno()

    def close(self) -> None:
        """Close the file; reading raises from now on."""
        self._descriptor = -1
        self._window = (0, b"")
        self._file.close()

    def __del__(self) -> None:
        if hasattr(self, "_file"):
            self._file.close()

    @property
    def size(self) -> int:
        """Bytes that the file holds now: a writer may add to it."""
        return os.fstat(self._descriptor).st_size

    def has(self, offset: int) -> bool:
        """Return whether the file reaches over `offset`."""
        return bool(self._bytes(offset, 1))

    def record(self, offset: int) -> tuple[bytes, int]:
        """Return the record at `offset` and where the next one begins.

        Raises
        ------
        DamagedRecordError
            There is no whole record; it says where the next one may be.
        OpforgeError
            No record can begin there, or the file is closed.
        """
        if offset < 0 or offset % 4:
            raise OpforgeError(
                f"recordio: {self.path} can have no record at offset {offset}, expected a multiple "
                "of 4; is this its index file?"
            )
        kind, payload, end = self._frame(offset, offset)
        if kind == WHOLE:
            return payload, end
        if kind != FIRST:
            raise self._damaged(offset, "a frame within a record stands where one begins", end)
        parts = [payload]
        while kind != LAST:
            begin = end
            kind, payload, end = self._frame(begin, offset)
            if kind not in (MIDDLE, LAST):
                raise self._damaged(offset, f"another record begins within it, at {begin}", begin)
            parts.append(payload)
        return MAGIC.join(parts), end

    def _frame(self, offset: int, record: int) -> tuple[int, bytes, int]:
        """Return kind, payload and end of the frame at `offset`, of the record at `record`."""
        head = self._bytes(offset, HEAD.size)
        frame = decoded(head)
        if frame is None:
            got = head.hex(" ", 4) or "the end of the file"
            raise self._damaged(
                record, f"expected {MAGIC.hex()} at {offset}, with which frames begin; got {got}"
            )
        kind, length = frame
        start, stored = offset + HEAD.size, padded(length)
        content = self._bytes(start, stored)
        if len(content) < stored:
            raise self._damaged(
                record, f"its length of {length} bytes ends behind the file, which has {self.size}"
            )
        if inner := aligned_magics(content):
            raise self._damaged(
                record, f"its length of {length} bytes reaches over the frame at {start + inner[0]}"
            )
        return kind, content[:length], start + stored

    def _damaged(self, offset: int, what: str, resume: int | None = None) -> DamagedRecordError:
        resume = self._next_record(offset + len(MAGIC) if resume is None else resume)
        return DamagedRecordError(
            f"recordio: the record at offset {offset} of {self.path} is damaged: {what}. "
            f"The next read continues at {resume}",
            offset,
            resume,
        )

    def _next_record(self, offset: int) -> int:
        """Return where the first frame that begins a record stands, at `offset` or behind."""
        offset = self._next_frame(offset)
        while (frame := decoded(self._bytes(offset, HEAD.size))) and frame[0] in (MIDDLE, LAST):
            offset = self._next_frame(offset + HEAD.size)
        return offset

    def _next_frame(self, offset: int) -> int:
        """Return where the first frame at `offset` or behind begins; the file's size if nowhere."""
        while block := self._bytes(offset, _BLOCK):
            if found := aligned_magics(block):
                return offset + found[0]
            offset += len(block)
        return max(offset, self.size)

    def _bytes(self, offset: int, count: int) -> bytes:
        """Return `count` bytes, fewer at the end of the file."""
        begin, window = self._window
        start = offset - begin
        if start >= 0 and start + count <= len(window):
            return window[start : start + count]
        if not self._ahead:
            return self._read(offset, count)
        window = self._read(offset, max(count, self._ahead))
        self._window = (offset, window)
        return window[:count]

    def _read(self, offset: int, count: int) -> bytes:
        if self._descriptor < 0:
            raise OpforgeError(f"recordio: {self.path} is closed; open it before reading")
        count = min(count, self.size - offset)
        if count <= 0:
            return b""
        pieces, have = [os.pread(self._descriptor, count, offset)], 0
        # A file system of a network may give it in pieces.
        while pieces[-1] and (have := have + len(pieces[-1])) < count:
            pieces.append(os.pread(self._descriptor, count - have, offset + have))
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def offsets(path: str | os.PathLike[str]) -> Iterator[int]:
    """Yield where each record of a file begins, reading heads alone; damage is skipped.

    Raises
    ------
    FileNotFoundError
        There is no such file.
    """
    with closing(RecordFile(path, _HEADS)) as file:
        offset, size = 0, file.size
        while offset < size:
            frame = decoded(file._bytes(offset, HEAD.size))
            end = size + 1 if frame is None else offset + HEAD.size + padded(frame[1])
            if frame is not None and frame[0] in (WHOLE, FIRST):
                yield offset
            whole = end == size or (end < size and file._bytes(end, len(MAGIC)) == MAGIC)
            offset = end if whole else file._next_frame(offset + HEAD.size)


def label_counts(path: str | os.PathLike[str], places: np.ndarray) -> Iterator[int]:
    """Yield how many labels the record at each place has, reading heads alone; damage is skipped.

    Parameters
    ----------
    path : path-like
    places : numpy.ndarray
        Offsets.
    """
    with closing(RecordFile(path, _HEADS)) as file:
        for place in map(int, places):
            head = file._bytes(place, HEAD.size + 4)
            frame = decoded(head)
            flag = int.from_bytes(head[HEAD.size :], "little")
            # No more than the record has room for, whatever it promises.
            if frame is not None and 4 * flag <= frame[1]:
                yield max(flag, 1)
