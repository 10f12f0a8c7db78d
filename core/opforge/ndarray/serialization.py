"""`nd.save`, `nd.load` and `nd.load_frombuffer`: MXNet 1.x's binary format of arrays.

Files go both ways between opforge and MXNet 1.9.1. Reading knows every header that MXNet 1.x
wrote (before 0.12, V1, V2, V3). Invariants: reading runs no code of the file, allocates no more
than the file holds, and every defect is an `OpforgeError` that says where it is.

A file is, little-endian: u64 0x112, u64 0, u64 count, the arrays, u64 count of names (0 for a
list), each name as u64 length and UTF-8 bytes. An array is: u32 magic, i32 storage type,
i32 ndim, i64 dimensions, i32 device type, i32 device id, i32 dtype code, the elements.
"""

import io
import os
import stat
import struct
from collections.abc import Iterable, Mapping
from math import prod
from typing import IO, Any, NoReturn

import numpy as np

from ..base.dtypes import DTYPES, ITEMSIZES, NAMES, code_of
from ..base.errors import OpforgeError
from ..base.files import open_file
from ..native.array import Var, empty, numpy_alias, push
from .ndarray import NDArray

__all__ = ["Reader", "load", "load_frombuffer", "save", "single_array"]

_LIST_MAGIC = 0x112
_V1, _V2, _V3 = 0xF993FAC8, 0xF993FAC9, 0xF993FACA
_DENSE = 0
_STORAGE_NAMES = {1: "row_sparse", 2: "csr"}
_CPU = struct.pack("<ii", 1, 0)
_MAX_NDIM = 32
_MAX_BYTES = 1 << 46
_MIN_LENGTH = 24

#: Files that are being written in the background.
_pending: dict[str, Var] = {}


def save(fname: str | os.PathLike[str], data: Any, wait: bool = True) -> Var | None:
    """Save arrays to a file that opforge and MXNet 1.x can load.

    Parameters
    ----------
    fname : path-like
        Replaced as a whole: an interrupted save leaves the former file as it was.
    data : NDArray, list of NDArray, or dict of str to NDArray
    wait : bool, default True
        False: copy the arrays and return; the engine writes the copy, so that the arrays may be
        changed at once. A later `save` or `load` of the file waits for it.

    Returns
    -------
    engine.Var or None
        Where not `wait`: its ``wait_to_read()`` waits for the file and raises what went wrong, as
        do ``nd.waitall()`` and a later `save` or `load` of the file.

    Raises
    ------
    ValueError
        `data` is none of these.
    TypeError
        A value is no NDArray, or a key is no str.

    Examples
    --------
    >>> import tempfile
    >>> from opforge import nd
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     nd.save(file.name, {"weight": nd.ones((2,))})
    ...     nd.load(file.name)["weight"].asnumpy().tolist()
    [1.0, 1.0]
    """
    names, arrays = _names_and_arrays(data)
    target = os.path.realpath(os.fspath(fname))
    if wait:
        _finish(target)
        _replace(target, names, (value.asnumpy() for value in arrays), len(arrays))
        return None
    elements = [value.asnumpy() for value in arrays]
    for path in [path for path, var in _pending.items() if var.is_idle]:
        del _pending[path]
    written = _pending.setdefault(target, Var())
    push(lambda: _replace(target, names, elements, len(elements)), write=[written])
    return written


def _finish(target: str) -> None:
    """Wait for a file that is being written; raise what went wrong, once."""
    written = _pending.pop(target, None)
    if written is not None:
        written.wait_to_read()


def _replace(target: str, names: list[str], elements: Iterable[Any], count: int) -> None:
    """Write a file beside `target` and put it in its place."""
    if os.path.exists(target) and not os.path.isfile(target):  # a pipe or a device
        with open_file(target, "wb") as file:
            _write(file, names, elements, count)
        return
    partial = f"{target}.{os.getpid()}.part"
    try:
        with open_file(partial, "wb") as file:
            _write(file, names, elements, count)
        os.replace(partial, target)
    except BaseException:
        if os.path.exists(partial):
            os.remove(partial)
        raise


def load(fname: str | os.PathLike[str]) -> Any:
    """Load what `save` or MXNet's `nd.save` wrote.

    Parameters
    ----------
    fname : path-like

    Returns
    -------
    list of NDArray, or dict of str to NDArray
        As it was saved; a single array comes as a list of one.

    Raises
    ------
    OpforgeError
        The file is no such file, damaged, or has arrays of a kind that opforge lacks.
    MissingFileError
        There is no such file; also a FileNotFoundError.
    """
    path = os.fspath(fname)
    if _pending:
        _finish(os.path.realpath(path))
    with open_file(path, "rb") as file:
        status = os.fstat(file.fileno())
        if stat.S_ISREG(status.st_mode):
            return Reader(file, status.st_size, path).arrays()
        return _parse(file.read(), path)


def load_frombuffer(buf: Any) -> Any:
    """Load arrays from bytes that hold the content of a saved file.

    Parameters
    ----------
    buf : bytes-like

    Returns
    -------
    list of NDArray, or dict of str to NDArray

    Raises
    ------
    OpforgeError
        As for `load`.
    TypeError
        `buf` is not bytes-like.
    """
    return _parse(buf, "buffer")


def _names_and_arrays(data: Any) -> tuple[list[str], list[NDArray]]:
    if isinstance(data, NDArray):
        data = [data]
    if isinstance(data, Mapping):
        names, arrays = list(data), list(data.values())
    elif isinstance(data, (list, tuple)):
        names, arrays = [], list(data)
    else:
        raise ValueError(
            "nd.save: data needs to either be a NDArray, dict of str, NDArray pairs or a list of "
            f"NDArrays, got {type(data).__name__}"
        )
    for where, value in zip(names or range(len(arrays)), arrays, strict=True):
        if not isinstance(value, NDArray):
            raise TypeError(
                "nd.save: only dict of str to NDArray or list of NDArray can be saved; item "
                f"{where!r} is {type(value).__name__}"
            )
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"nd.save: keys must be str, got {name!r} ({type(name).__name__})")
    return names, arrays


def _write(file: IO[bytes], names: list[str], elements: Iterable[Any], count: int) -> None:
    file.write(struct.pack("<QQQ", _LIST_MAGIC, 0, count))
    for values in elements:
        shape = values.shape
        file.write(struct.pack(f"<Iii{len(shape)}q", _V2, _DENSE, len(shape), *shape))
        file.write(_CPU + struct.pack("<i", code_of(values.dtype)))
        file.write(memoryview(values.reshape(-1)).cast("B"))
    file.write(struct.pack("<Q", len(names)))
    for name in names:
        encoded = name.encode()
        file.write(struct.pack("<Q", len(encoded)) + encoded)


def _parse(content: Any, source: str) -> Any:
    file = io.BytesIO(content)
    return Reader(file, file.getbuffer().nbytes, source).arrays()


def single_array(content: Any) -> NDArray:
    """Return the array whose bytes, without the header of a file, are in a pickle of MXNet.

    Parameters
    ----------
    content : bytes-like

    Raises
    ------
    OpforgeError
        They are none.
    """
    file = io.BytesIO(content)
    return Reader(file, file.getbuffer().nbytes, "pickle").array()


class Reader:
    """A position in a file of known length, and what can stand there."""

    def __init__(self, file: IO[bytes], length: int, source: Any) -> None:
        self._file = file
        self._length = length
        self._source = source
        self._position = 0
        self._where = "header"

    def arrays(self) -> Any:
        """Read the whole file."""
        if self._length < _MIN_LENGTH:
            self._fail(f"got {self._length} bytes, expected at least {_MIN_LENGTH}")
        (magic,) = self._unpack("Q")
        if magic != _LIST_MAGIC:
            self._fail(f"it starts with {magic:#x}, expected {_LIST_MAGIC:#x} as nd.save writes it")
        _, count = self._unpack("QQ")
        values = []
        for index in range(self._plausible(count, 4)):
            self._where = f"array {index} of {count}"
            values.append(self.array())
        self._where = "names"
        names = [self._name() for _ in range(self._plausible(self._unpack("Q")[0], 8))]
        if self._position != self._length:
            self._fail(f"got {self._length - self._position} bytes after its end, expected none")
        return self._combined(names, values)

    def _combined(self, names: list[str], values: list[NDArray]) -> Any:
        if not names:
            return values
        if len(set(names)) != len(values):
            self._fail(
                f"got {len(set(names))} different names, expected {len(values)} for the arrays"
            )
        return dict(zip(names, values, strict=True))

    def array(self) -> NDArray:
        """Read one array."""
        shape = self._shape()
        if shape is None:
            return self._elements((0,), 0)
        _device_type, _device_id, code = self._unpack("iii")
        if not 0 <= code < len(DTYPES):
            self._fail(f"got dtype code {code}, expected one of {dict(enumerate(NAMES))}")
        if prod(size for size in shape if size) * ITEMSIZES[code] > _MAX_BYTES:
            self._fail(f"got shape {shape}, expected at most {_MAX_BYTES} bytes")  # one size is 0
        self._expect_bytes(prod(shape) * ITEMSIZES[code])
        return self._elements(shape, code)

    def _elements(self, shape: tuple[int, ...], code: int) -> NDArray:
        """Read straight into the memory of a new array."""
        result: NDArray = empty(shape, code)
        raw = numpy_alias(result).reshape(-1).view(np.uint8)
        count = self._file.readinto(raw.data) if raw.size else 0  # type: ignore[attr-defined]
        if count != raw.size:
            self._fail(f"got {count} bytes, expected {raw.size}: it was cut short meanwhile")
        self._position += count
        if DTYPES[code] is np.bool_:  # any byte but 0 is true; NumPy takes bytes as they are
            np.not_equal(raw, 0, out=raw.view(np.bool_))
        return result

    def _shape(self) -> tuple[int, ...] | None:
        """Read up to the dimensions; None stands for an array that never got a value."""
        (magic,) = self._unpack("I")
        if magic in (_V2, _V3):
            self._expect_dense(*self._unpack("i"))
            (ndim,) = self._unpack("i")
            if ndim == (0 if magic == _V2 else -1):
                return None
            return self._dimensions(ndim, "q") or (1,)
        if magic == _V1:
            (ndim,) = self._unpack("I")
            return self._dimensions(ndim, "q") if ndim else None
        # Before V1 there was no magic: the number of dimensions came first, as u32 like these.
        return self._dimensions(magic, "I") if magic else None

    def _dimensions(self, ndim: int, kind: str) -> tuple[int, ...]:
        if not 0 <= ndim <= _MAX_NDIM:
            self._fail(f"got {ndim:#x}, expected a known header or 0 to {_MAX_NDIM} dimensions")
        shape = self._unpack(f"{ndim}{kind}")
        if any(size < 0 for size in shape):
            self._fail(f"got shape {shape}, expected no negative size")
        return shape

    def _expect_dense(self, storage: int) -> None:
        if storage == _DENSE:
            return
        if storage in _STORAGE_NAMES:
            self._fail(
                f"got storage type {_STORAGE_NAMES[storage]}, expected dense, the only one here; "
                "save it in MXNet as array.tostype('default')",
                damaged=False,
            )
        self._fail(f"got storage type {storage}, expected {_DENSE} (dense)")

    def _name(self) -> str:
        (length,) = self._unpack("Q")
        try:
            return str(self._take(length), "utf-8")
        except UnicodeDecodeError as error:
            self._fail(f"got a name that is not UTF-8 ({error.reason}), expected text")

    def _plausible(self, count: int, least: int) -> int:
        """Return `count` of things, each of which takes at least `least` bytes of what is left."""
        left = self._length - self._position
        if count * least > left:
            self._fail(f"got a count of {count}, expected at most {left // least} in {left} bytes")
        return count

    def _unpack(self, kinds: str) -> tuple[Any, ...]:
        layout = struct.Struct("<" + kinds)
        return layout.unpack(self._take(layout.size))

    def _take(self, nbytes: int) -> bytes:
        self._expect_bytes(nbytes)
        content = self._file.read(nbytes)
        if len(content) != nbytes:
            self._fail(f"got {len(content)} bytes, expected {nbytes}: it was cut short meanwhile")
        self._position += nbytes
        return content

    def _expect_bytes(self, nbytes: int) -> None:
        """Refuse a size beyond the end before anything is allocated for it."""
        left = self._length - self._position
        if nbytes > left:
            self._fail(f"got {left} bytes, expected {nbytes}: it was cut short, or a size is wrong")

    def _fail(self, what: str, damaged: bool = True) -> NoReturn:
        state = "is no array file or damaged" if damaged else "cannot be loaded"
        raise OpforgeError(
            f"nd.load: {self._source} {state}: {self._where}, at byte {self._position}: {what}"
        )
