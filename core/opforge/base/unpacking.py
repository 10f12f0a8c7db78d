"""Limits on what archives and compressed files unpack to. Layer 0.

A compressed file of a few MiB can hold gigabytes. Every reader of archives states how many bytes it
accepts: the exact size where the format has one, otherwise `unpack_limit`.
"""

import bz2
import gzip
import io
import os
import tarfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

from . import config
from .errors import OpforgeError

__all__ = [
    "SETTING",
    "check_unpacked",
    "copy_unpacked",
    "extract_zip",
    "open_tar",
    "unpack_limit",
]

#: Remedy for files that have no fixed size.
SETTING = "set OPFORGE_UNPACK_LIMIT_MB to a higher limit if you trust the file"
_DEFAULT_MB = 1024
_CHUNK = 1 << 20
#: tarfile reads an extended header in one piece; no real one comes near this size.
_MAX_TAR_READ = 16 << 20


def unpack_limit() -> int:
    """Return the switch ``OPFORGE_UNPACK_LIMIT_MB`` in bytes."""
    return config.get_int("OPFORGE_UNPACK_LIMIT_MB", _DEFAULT_MB) << 20


def check_unpacked(
    path: str | os.PathLike[str], got: int | str, limit: int, remedy: str = SETTING, what: str = ""
) -> None:
    """Raise an error if an archive unpacks to more than `limit` bytes.

    Parameters
    ----------
    path : path-like
        Archive, for the message.
    got : int or str
        Number of bytes that it unpacks to; a str is a description that always raises.
    limit : int
        Largest number of bytes accepted.
    remedy : str
        What the user can do about it.
    what : str, optional
        Name of the member; empty: the whole content.

    Raises
    ------
    OpforgeError
        There are more bytes than `limit`.
    """
    if isinstance(got, str) or got > limit:
        size = got if isinstance(got, str) else f"{got} bytes"
        raise OpforgeError(
            f"{os.fspath(path)}: {what or 'its content'} unpacks to {size}, expected at most "
            f"{limit} bytes; {remedy}"
        )


def copy_unpacked(
    source: IO[bytes],
    target: IO[bytes],
    path: str | os.PathLike[str],
    limit: int,
    remedy: str = SETTING,
    what: str = "",
) -> None:
    """Copy an unpacked stream in chunks; stop with an error beyond `limit` bytes.

    Parameters
    ----------
    source : file
        Decompressing stream.
    target : file
    path, limit, remedy, what
        As of `check_unpacked`.

    Raises
    ------
    OpforgeError
        The stream has more bytes than `limit`.
    """
    copied = 0
    while chunk := source.read(min(_CHUNK, limit - copied + 1)):
        copied += len(chunk)
        if copied > limit:
            check_unpacked(path, f"more than {limit} bytes", limit, remedy, what)
        target.write(chunk)


def extract_zip(path: str | os.PathLike[str], folder: str | os.PathLike[str]) -> None:
    """Extract a zip archive whose content stays below `unpack_limit`.

    Parameters
    ----------
    path : path-like
    folder : path-like

    Raises
    ------
    OpforgeError
        The archive states more bytes; nothing is extracted.
    """
    with zipfile.ZipFile(path) as content:
        # Extraction of a member stops at the size that the archive states for it.
        check_unpacked(path, sum(member.file_size for member in content.infolist()), unpack_limit())
        content.extractall(folder)


@contextmanager
def open_tar(
    path: str | os.PathLike[str], limit: int, remedy: str = SETTING
) -> Iterator[tarfile.TarFile]:
    """Open a tar archive, plain or compressed, of which at most `limit` bytes are unpacked.

    Parameters
    ----------
    path, limit, remedy
        As of `check_unpacked`.

    Raises
    ------
    OpforgeError
        Reading went beyond `limit`, or a header is absurdly large; raised inside the block.
    """
    with _open_decompressed(path) as stream:
        bounded = cast(IO[bytes], _BoundedStream(stream, path, limit, remedy))
        with tarfile.open(fileobj=bounded, mode="r:") as tar:
            yield tar


def _open_decompressed(path: str | os.PathLike[str]) -> IO[bytes]:
    with open(path, "rb") as file:
        start = file.read(3)
    if start[:2] == b"\x1f\x8b":
        return cast(IO[bytes], gzip.open(path, "rb"))
    if start == b"BZh":
        return cast(IO[bytes], bz2.open(path, "rb"))
    return Path(path).open("rb")


class _BoundedStream(io.RawIOBase):
    """Unpacked content of a tar archive; raises an error when it is read beyond a limit."""

    def __init__(
        self, stream: IO[bytes], path: str | os.PathLike[str], limit: int, remedy: str
    ) -> None:
        self._stream, self._path, self._limit, self._remedy = stream, path, limit, remedy

    def seekable(self) -> bool:
        return True

    def readable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._stream.tell()

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        # Seeking forward decompresses everything up to the offset.
        if whence == os.SEEK_SET:
            check_unpacked(self._path, offset, self._limit, self._remedy)
        return self._stream.seek(offset, whence)

    def read(self, size: int = -1) -> bytes:
        if not 0 <= size <= _MAX_TAR_READ:
            check_unpacked(
                self._path,
                size if size > 0 else "an unknown size",
                _MAX_TAR_READ,
                self._remedy,
                "a header of the archive",
            )
        content = self._stream.read(size)
        check_unpacked(self._path, self._stream.tell(), self._limit, self._remedy)
        return content
