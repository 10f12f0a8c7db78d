"""Transfer of objects between processes: small ones by pipe, large ones by shared memory.

A message in the pipe never exceeds `PIPE_LIMIT` bytes plus the overhead of pickle and the header.
Larger ones are written to an anonymous shared file whose descriptor is sent, so that a sender never
blocks on a busy reader, and nothing is left behind if either side dies. NDArrays and NumPy arrays
are sent as raw bytes; received arrays are writable and owned by the receiver.
"""

import mmap
import os
import pickle
import struct
import tempfile
from collections.abc import Sequence
from io import BytesIO
from multiprocessing import reduction
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

from ... import ndarray as nd

__all__ = ["PIPE_LIMIT", "receive", "send"]

PIPE_LIMIT = 1024
_INLINE, _SHARED = b"i", b"s"
_COUNT = struct.Struct("<Q")
_ALIGNMENT = 64
_IOV_MAX = 512


def send(connection: Connection, value: Any) -> None:
    """Send `value`, any picklable object, to the other end of `connection`.

    Raises
    ------
    Exception
        The error of pickle for `value`; nothing has been sent then.
    """
    stream = BytesIO()
    pickler = _Pickler(stream)
    pickler.dump(value)
    parts: list[memoryview] = [stream.getbuffer(), *pickler.parts]
    if sum(part.nbytes for part in parts) <= PIPE_LIMIT and len(parts) <= 16:
        connection.send_bytes(_INLINE + b"".join(_layout(parts)))
    else:
        _send_shared(connection, parts)


def receive(connection: Connection) -> Any:
    """Return the next object sent by the other end of `connection`, waiting for it.

    Raises
    ------
    EOFError
        The other end is closed.
    """
    message = connection.recv_bytes()
    if message[:1] == _INLINE:
        return _rebuild(memoryview(bytearray(message))[1:])
    descriptor = reduction.recv_handle(connection)
    try:
        # A private mapping: NumPy arrays in the message keep it alive and may be written to.
        shared = mmap.mmap(descriptor, 0, mmap.MAP_PRIVATE | _POPULATE)
    finally:
        os.close(descriptor)
    return _rebuild(memoryview(shared))


_POPULATE = getattr(mmap, "MAP_POPULATE", 0)


class _Pickler(pickle.Pickler):
    """Pickler that moves the bytes of arrays out of the stream, to `parts`."""

    def __init__(self, stream: BytesIO) -> None:
        super().__init__(stream, protocol=5, buffer_callback=self._take)
        self.parts: list[memoryview] = []

    def reducer_override(self, obj: Any) -> Any:
        if isinstance(obj, nd.NDArray):
            return _to_ndarray, (np.asarray(obj),)
        return NotImplemented

    def _take(self, buffer: pickle.PickleBuffer) -> None:
        self.parts.append(buffer.raw())


def _to_ndarray(array: np.ndarray) -> Any:
    return nd.array(array, dtype=array.dtype)


def _layout(parts: Sequence[memoryview]) -> list[Any]:
    """Return the parts after a table of their sizes, each at a multiple of the alignment."""
    sizes = [part.nbytes for part in parts]
    table = _COUNT.pack(len(parts)) + np.array(sizes, "<u8").tobytes()
    laid_out: list[Any] = [table, _padding(len(table))]
    for part in parts:
        laid_out += (part, _padding(part.nbytes))
    return laid_out


def _padding(nbytes: int) -> bytes:
    return bytes(-nbytes % _ALIGNMENT)


def _send_shared(connection: Connection, parts: Sequence[memoryview]) -> None:
    descriptor = _anonymous_file()
    try:
        _write_all(descriptor, [memoryview(part) for part in _layout(parts) if len(part)])
        connection.send_bytes(_SHARED)
        reduction.send_handle(connection, descriptor, None)
    finally:
        os.close(descriptor)


def _anonymous_file() -> int:
    if hasattr(os, "memfd_create"):
        return os.memfd_create("opforge-batch")
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())


def _write_all(descriptor: int, views: list[memoryview]) -> None:
    first = 0
    while first < len(views):
        written = os.writev(descriptor, views[first : first + _IOV_MAX])
        while first < len(views) and written >= views[first].nbytes:
            written -= views[first].nbytes
            first += 1
        if written:
            views[first] = views[first].cast("B")[written:]


def _rebuild(data: memoryview) -> Any:
    (count,) = _COUNT.unpack_from(data)
    start = _COUNT.size + 8 * count
    sizes = np.frombuffer(data[_COUNT.size : start], "<u8").tolist()
    start += -start % _ALIGNMENT
    parts = []
    for size in sizes:
        parts.append(data[start : start + size])
        start += size + -size % _ALIGNMENT
    return pickle.loads(parts[0], buffers=parts[1:])
