"""Reading of records at offsets. Files have no position, so threads may share them.

Invariant: allocations are bounded by the size of the file, whatever lengths its frames claim.
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
    padded_length,
    parse_head,
)

__all__ = ["RecordFile", "label_counts", "scan_offsets"]

_BLOCK = 1 << 20
#: Bytes to read when scanning heads: one read covers several small records.
_HEADS = 1 << 12


class RecordFile:
    """Record file opened for reading.

    Parameters
    ----------
    path : path-like
    ahead : int, default 0
        Number of bytes to read at a time for sequential access.

    Raises
    ------
    FileNotFoundError
        The file does not exist.
    """

    def __init__(self, path: str | os.PathLike[str], ahead: int = 0) -> None:
        self.path = os.fspath(path)
        self._ahead = ahead
        # Offset and bytes of the last read, replaced as one object for thread safety.
        self._window = (0, b"")
        self._file = open(self.path, "rb", buffering=0)  # noqa: SIM115 - closed by close()
        self._descriptor = self._file.fileno()

    def close(self) -> None:
        """Close the file; further reads raise an error."""
        self._descriptor = -1
        self._window = (0, b"")
        self._file.close()

    def __del__(self) -> None:
        if hasattr(self, "_file"):
            self._file.close()

    @property
    def size(self) -> int:
        """Current size of the file in bytes; a writer may extend it."""
        return os.fstat(self._descriptor).st_size

    def has(self, offset: int) -> bool:
        """Return whether the file extends beyond `offset`."""
        return bool(self._bytes(offset, 1))

    def record(self, offset: int) -> tuple[bytes, int]:
        """Return the record at `offset` and the offset of the next one.

        Raises
        ------
        DamagedRecordError
            The record is damaged; the error holds the offset at which to resume.
        OpforgeError
            `offset` is invalid, or the file is closed.
        """
        if offset < 0 or offset % 4:
            raise OpforgeError(
                f"recordio: no record of {self.path} can start at offset {offset}; expected a "
                "multiple of 4; is this its index file?"
            )
        kind, payload, end = self._frame(offset, offset)
        if kind == WHOLE:
            return payload, end
        if kind != FIRST:
            raise self._damaged_record_error(
                offset, "it starts with a frame from the middle of a record", end
            )
        parts = [payload]
        while kind != LAST:
            begin = end
            kind, payload, end = self._frame(begin, offset)
            if kind not in (MIDDLE, LAST):
                raise self._damaged_record_error(
                    offset, f"another record starts within it, at {begin}", begin
                )
            parts.append(payload)
        return MAGIC.join(parts), end

    def _frame(self, offset: int, record: int) -> tuple[int, bytes, int]:
        """Return kind, payload and end of the frame at `offset`, of the record at `record`."""
        head = self._bytes(offset, HEAD.size)
        frame = parse_head(head)
        if frame is None:
            got = head.hex(" ", 4) or "the end of the file"
            raise self._damaged_record_error(
                record, f"expected {MAGIC.hex()}, the start of a frame, at {offset}; got {got}"
            )
        kind, length = frame
        start, stored = offset + HEAD.size, padded_length(length)
        content = self._bytes(start, stored)
        if len(content) < stored:
            raise self._damaged_record_error(
                record, f"its length of {length} bytes exceeds the file of {self.size} bytes"
            )
        if inner := aligned_magics(content):
            raise self._damaged_record_error(
                record, f"its length of {length} bytes overlaps the frame at {start + inner[0]}"
            )
        return kind, content[:length], start + stored

    def _damaged_record_error(
        self, offset: int, what: str, resume: int | None = None
    ) -> DamagedRecordError:
        resume = self._next_record(offset + len(MAGIC) if resume is None else resume)
        return DamagedRecordError(
            f"recordio: the record at offset {offset} of {self.path} is damaged: {what}. "
            f"The next read continues at {resume}",
            offset,
            resume,
        )

    def _next_record(self, offset: int) -> int:
        """Return the offset of the first frame that starts a record, at or after `offset`."""
        offset = self._next_frame(offset)
        while (frame := parse_head(self._bytes(offset, HEAD.size))) and frame[0] in (MIDDLE, LAST):
            offset = self._next_frame(offset + HEAD.size)
        return offset

    def _next_frame(self, offset: int) -> int:
        """Return the offset of the first frame at or after `offset`, or the file's size."""
        while block := self._bytes(offset, _BLOCK):
            if found := aligned_magics(block):
                return offset + found[0]
            offset += len(block)
        return max(offset, self.size)

    def _bytes(self, offset: int, count: int) -> bytes:
        """Return `count` bytes, or fewer at the end of the file."""
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
        # Network file systems may return fewer bytes than requested.
        while pieces[-1] and (have := have + len(pieces[-1])) < count:
            pieces.append(os.pread(self._descriptor, count - have, offset + have))
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def scan_offsets(path: str | os.PathLike[str]) -> Iterator[int]:
    """Yield the offset of each record of a file, reading only heads and skipping damage.

    Raises
    ------
    FileNotFoundError
        The file does not exist.
    """
    with closing(RecordFile(path, _HEADS)) as file:
        offset, size = 0, file.size
        while offset < size:
            frame = parse_head(file._bytes(offset, HEAD.size))
            end = size + 1 if frame is None else offset + HEAD.size + padded_length(frame[1])
            if frame is not None and frame[0] in (WHOLE, FIRST):
                yield offset
            whole = end == size or (end < size and file._bytes(end, len(MAGIC)) == MAGIC)
            offset = end if whole else file._next_frame(offset + HEAD.size)


def label_counts(path: str | os.PathLike[str], offsets: np.ndarray) -> Iterator[int]:
    """Yield the number of labels of the record at each offset, skipping damaged records.

    Parameters
    ----------
    path : path-like
    offsets : numpy.ndarray
        Offsets of the records.
    """
    with closing(RecordFile(path, _HEADS)) as file:
        for offset in map(int, offsets):
            head = file._bytes(offset, HEAD.size + 4)
            frame = parse_head(head)
            flag = int.from_bytes(head[HEAD.size :], "little")
            # Ignore counts that exceed the record.
            if frame is not None and 4 * flag <= frame[1]:
                yield max(flag, 1)
