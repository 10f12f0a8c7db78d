"""`MXIndexedRecordIO`: record file with an index for random access."""

import os
from collections.abc import Callable
from typing import Any

from opforge.plugin_api import OpforgeError

from .sequential import MXRecordIO

__all__ = ["MXIndexedRecordIO", "read_index"]


class MXIndexedRecordIO(MXRecordIO):
    """Read or write records by key, using an index file of offsets.

    `seek` and `read_idx` reopen a reader that another process opened, so workers of a `DataLoader`
    may share one. Threads may call `read_idx` concurrently.

    Parameters
    ----------
    idx_path, uri : path-like
        The index, with lines of key, tab and offset, and the record file.
    flag : {'r', 'w'}
        'w' truncates both files.
    key_type : callable, default int
        Converts the text of a key.

    Raises
    ------
    OpforgeError
        A line of the index is invalid; the message names it.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp())
    >>> record = MXIndexedRecordIO(path / "a.idx", path / "a.rec", "w")
    >>> for i in range(5):
    ...     record.write_idx(i, b"record %d" % i)
    >>> record.close()
    >>> record = MXIndexedRecordIO(path / "a.idx", path / "a.rec", "r")
    >>> record.read_idx(3), record.read()
    (b'record 3', b'record 4')
    """

    _ahead = 0

    def __init__(
        self,
        idx_path: str | os.PathLike[str],
        uri: str | os.PathLike[str],
        flag: str,
        key_type: Callable[[str], Any] = int,
    ) -> None:
        self.idx_path = os.fspath(idx_path)
        self.idx: dict[Any, int] = {}
        self.keys: list[Any] = []
        self.key_type = key_type
        self.fidx: Any = None
        super().__init__(uri, flag)

    def open(self) -> None:
        """Open both files and read the index."""
        super().open()
        self.idx, self.keys = {}, []
        if self.writable:
            self.fidx = open(self.idx_path, "wb", buffering=0)  # noqa: SIM115 - closed by close()
            return
        try:
            for key, offset in read_index(self.idx_path, self.key_type):
                self.idx[key] = offset
                self.keys.append(key)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close both files."""
        super().close()
        if self.fidx is not None:
            self.fidx.close()
            self.fidx = None

    def seek(self, idx: Any) -> None:
        """Position the reader at the record with key `idx`.

        Raises
        ------
        KeyError
            The key does not exist.
        """
        assert not self.writable, f"recordio: {self.uri} is open for writing, not for reading"
        if self.is_open and self.pid != os.getpid():
            self.reset()
        self._position = self._offset_of(idx)

    def read_idx(self, idx: Any) -> bytes:
        """Return the record with key `idx`.

        Raises
        ------
        KeyError
            The key does not exist.
        OpforgeError
            The record is damaged, or the index belongs to another file.
        """
        self.seek(idx)
        self._expect_open()
        # Not by read(), since another thread may have called seek() meanwhile.
        return self._record(self._offset_of(idx))

    def write_idx(self, idx: Any, buf: bytes) -> None:
        """Append a record with key `idx`.

        Parameters
        ----------
        idx : object
            Converted to the key by `key_type`.
        buf : bytes-like
        """
        key = self.key_type(idx)
        offset = self.tell()
        self.write(buf)
        self.fidx.write(b"%b\t%d\n" % (str(key).encode(), offset))
        self.idx[key] = offset
        self.keys.append(key)

    def _offset_of(self, idx: Any) -> int:
        try:
            return self.idx[idx]
        except KeyError:
            raise KeyError(f"recordio: {self.idx_path} has no key {idx!r}") from None


def read_index(path: str | os.PathLike[str], key_type: Callable[[str], Any] = int) -> Any:
    """Yield key and offset of each line of an index file.

    Raises
    ------
    OpforgeError
        A line is not a key, a tab and an offset.
    """
    with open(path, encoding="utf-8", errors="replace") as file:
        for number, line in enumerate(file, 1):
            try:
                key, offset, *_ = line.strip().split("\t")
                yield key_type(key), int(offset)
            except ValueError as error:
                raise OpforgeError(
                    f"recordio: line {number} of index {os.fspath(path)} is {line[:80]!r}; "
                    f"expected a key, a tab and an offset ({error})"
                ) from error
