"""`MXRecordIO`: record file that is read or written in sequence."""

import os
from typing import Any

from opforge.plugin_api import OpforgeError

from .framing import DamagedRecordError, encode_frames
from .reading import RecordFile

__all__ = ["MXRecordIO"]


class MXRecordIO:
    """Read or write records in sequence.

    `write` returns once the record is in the file, so a killed program leaves complete records.

    Parameters
    ----------
    uri : path-like
    flag : {'r', 'w'}
        'w' truncates the file.

    Raises
    ------
    ValueError
        `flag` is not 'r' or 'w'.
    FileNotFoundError
        The file does not exist.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "numbers.rec"
    >>> record = MXRecordIO(path, "w")
    >>> for i in range(2):
    ...     record.write(b"record %d" % i)
    >>> record.close()
    >>> record = MXRecordIO(path, "r")
    >>> record.read(), record.read(), record.read()
    (b'record 0', b'record 1', None)
    """

    #: Number of bytes to read at a time.
    _ahead = 1 << 18

    def __init__(self, uri: str | os.PathLike[str], flag: str) -> None:
        self.uri = os.fspath(uri)
        self.flag = flag
        self.pid: int | None = None
        self.is_open = False
        self.open()

    def open(self) -> None:
        """Open the file at its beginning."""
        if self.flag not in ("r", "w"):
            raise ValueError(f"recordio: got flag {self.flag!r}; expected 'r' or 'w'")
        self.writable = self.flag == "w"
        self._position = 0
        # Unbuffered, because a child process would write its copy of the buffer again.
        self._file: Any = (
            open(self.uri, "wb", buffering=0)  # noqa: SIM115 - closed by close()
            if self.writable
            else RecordFile(self.uri, self._ahead)
        )
        self.pid = os.getpid()
        self.is_open = True

    def close(self) -> None:
        """Close the file."""
        if self.is_open:
            self.is_open = False
            self.pid = None
            self._file.close()

    def reset(self) -> None:
        """Return to the beginning of the file; a file opened for writing is truncated."""
        self.close()
        self.open()

    def write(self, buf: bytes) -> None:
        """Append a record.

        Parameters
        ----------
        buf : bytes-like
            Less than 512 MiB.

        Raises
        ------
        OpforgeError
            The record is too long, or the file is closed.
        OSError
            Writing failed, for example because the disk is full; the file is unchanged.
        RuntimeError
            Another process opened the file.
        """
        assert self.writable, f"recordio: {self.uri} is open for reading, not for writing"
        self._expect_open()
        frames = encode_frames(bytes(memoryview(buf)))
        left = memoryview(frames)
        try:
            while left:
                left = left[self._file.write(left) :]
        except OSError:
            # Remove the partial record: later records would not be aligned.
            self._file.truncate(self._position)
            self._file.seek(self._position)
            raise
        self._position += len(frames)

    def read(self) -> bytes | None:
        """Return the next record, or None at the end of the file.

        Raises
        ------
        DamagedRecordError
            The record is damaged; the next call returns the following one.
        RuntimeError
            Another process opened the file.
        """
        assert not self.writable, f"recordio: {self.uri} is open for writing, not for reading"
        self._expect_open()
        return self._record(self._position) if self._file.has(self._position) else None

    def tell(self) -> int:
        """Return the offset of the next record to write."""
        assert self.writable, f"recordio: {self.uri} is open for reading, not for writing"
        self._expect_open()
        return self._position

    def _record(self, offset: int) -> bytes:
        try:
            record, self._position = self._file.record(offset)
        except DamagedRecordError as error:
            self._position = error.resume
            raise
        return record

    def _expect_open(self) -> None:
        if not self.is_open:
            raise OpforgeError(f"recordio: {self.uri} is closed; open() it first")
        if self.pid != os.getpid():
            raise RuntimeError(
                f"recordio: {self.uri} was opened by process {self.pid}, and this is process "
                f"{os.getpid()}; reset() it here, or use MXIndexedRecordIO.read_idx, which does so"
            )

    def __del__(self) -> None:
        if getattr(self, "is_open", False):
            self.close()

    def __getstate__(self) -> dict[str, Any]:
        if self.writable:
            raise TypeError(
                f"recordio: {self.uri} is open for writing and cannot be pickled, because "
                "reopening would truncate it; close it and open it with flag 'r'"
            )
        return {name: value for name, value in self.__dict__.items() if name != "_file"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if state["is_open"]:
            self.open()
