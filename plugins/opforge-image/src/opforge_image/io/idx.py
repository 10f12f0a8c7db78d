"""The IDX format of MNIST: a header of big-endian sizes, then the elements; gzipped or not.

Invariant: allocations are bounded by the size of the file, whatever its header claims; for gzipped
files also by `unpack_limit`.
"""

import gzip
import os
import zlib
from pathlib import Path
from typing import Protocol

import numpy as np

from opforge.plugin_api import OpforgeError, unpacking

__all__ = ["read_idx"]

_DTYPES = {0x08: "u1", 0x09: "i1", 0x0B: ">i2", 0x0C: ">i4", 0x0D: ">f4", 0x0E: ">f8"}
_MAX_NDIM = 8
_CHUNK = 1 << 20


class Readable(Protocol):
    """An open file, or an open gzip stream."""

    def read(self, size: int, /) -> bytes:
        """Return at most `size` bytes; empty at the end."""
        ...


def read_idx(path: str | os.PathLike[str]) -> np.ndarray:
    """Read one IDX file.

    Parameters
    ----------
    path : path-like
        The first bytes, not the name, decide whether the file is gzipped.

    Returns
    -------
    numpy.ndarray
        Writable, in the machine's byte order, with the shape of the header.

    Raises
    ------
    OpforgeError
        The file is damaged or not an IDX file; the message names it.
    FileNotFoundError
        The file does not exist.
    """
    with open(path, "rb") as file:
        zipped = file.read(2) == b"\x1f\x8b"
        file.seek(0)
        try:
            if zipped:
                with gzip.open(file, "rb") as content:
                    return _read(content, path, unpacking.unpack_limit())
            return _read(file, path)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise _damaged_file_error(path, f"its gzip stream is broken ({error})") from error


def _read(content: Readable, path: str | os.PathLike[str], limit: int | None = None) -> np.ndarray:
    magic = content.read(4)
    if len(magic) < 4 or magic[:2] != b"\0\0" or magic[2] not in _DTYPES or magic[3] > _MAX_NDIM:
        raise _damaged_file_error(path, f"it starts with {magic!r}, which is not an IDX header")
    header = content.read(4 * magic[3])
    if len(header) < 4 * magic[3]:
        raise _damaged_file_error(path, "it ends within its header")
    dtype = np.dtype(_DTYPES[magic[2]])
    shape = tuple(np.frombuffer(header, ">u4").tolist())
    expected = dtype.itemsize
    for size in shape:
        expected *= size
    if limit is not None:
        unpacking.check_unpacked(path, expected, limit)
    data = _read_at_most(content, expected + 1)
    if len(data) != expected:
        got = f"{len(data)} bytes" if len(data) < expected else "more"
        raise _damaged_file_error(
            path, f"its header declares {shape} elements, {expected} bytes; got {got}"
        )
    return np.frombuffer(data, dtype).reshape(shape).astype(dtype.newbyteorder("="), copy=False)


def _read_at_most(content: Readable, limit: int) -> bytearray:
    data = bytearray()
    while len(data) < limit:
        chunk = content.read(min(_CHUNK, limit - len(data)))
        if not chunk:
            break
        data += chunk
    return data


def _damaged_file_error(path: str | os.PathLike[str], reason: str) -> OpforgeError:
    return OpforgeError(
        f"{Path(path)} is damaged: {reason}. Delete it to have it downloaded again, or replace it "
        "with an intact copy"
    )
