"""MXNet 1.x's binary format of arrays, and reading it.

Knows every header that MXNet 1.x wrote (before 0.12, V1, V2, V3). Invariants: reading runs no code
of the file, allocates no more than the file holds, and every defect is an `OpforgeError` that says
where it is.

A file is, little-endian: u64 0x112, u64 0, u64 count, the arrays, u64 count of names (0 for a
list), each name as u64 length and UTF-8 bytes. An array is: u32 magic, i32 storage type,
i32 ndim, i64 dimensions, i32 device type, i32 device id, i32 dtype code, the elements. A sparse one
has the dimensions of its values before its own, and behind the dtype code, for each array of
indices, dtype code and dimensions; the elements of these arrays follow the values.
"""

import io
import struct
from math import prod
from typing import IO, Any, ClassVar, NoReturn

import numpy as np

from ..base.dtypes import DTYPES, ITEMSIZES, NAMES
from ..base.errors import OpforgeError
from ..base.numpy_semantics import SHAPE_EVERYWHERE, is_np_shape
from ..native.array import Array, empty, numpy_alias
from ._operators import operators

__all__ = ["CPU", "LIST_MAGIC", "STORAGE", "V2", "V3", "Reader", "single_array"]

LIST_MAGIC = 0x112
_V1, V2, V3 = 0xF993FAC8, 0xF993FAC9, 0xF993FACA
#: Codes of storage types, and how many arrays of indices each has.
STORAGE = {"default": 0, "row_sparse": 1, "csr": 2}
_INDEX_ARRAYS = {1: 1, 2: 2}
CPU = struct.pack("<ii", 1, 0)
_MAX_NDIM = 32
_MAX_BYTES = 1 << 46
_MIN_LENGTH = 24


def single_array(content: Any) -> Array:
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

    #: Whether arrays are rejected that were saved with another meaning of shapes, see `np_shape`.
    checks_shape_semantics: ClassVar[bool] = True

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
        if magic != LIST_MAGIC:
            self._fail(f"it starts with {magic:#x}, expected {LIST_MAGIC:#x} as nd.save writes it")
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

    def _combined(self, names: list[str], values: list[Array]) -> Any:
        if not names:
            return values
        if len(set(names)) != len(values):
            self._fail(
                f"got {len(set(names))} different names, expected {len(values)} for the arrays"
            )
        return dict(zip(names, values, strict=True))

    def array(self) -> Array:
        """Read one array, of any storage type."""
        (magic,) = self._unpack("I")
        if self.checks_shape_semantics:
            self._expect_semantics(magic)
        if magic not in (V2, V3):
            shape = self._old_shape(magic)
        else:
            (storage,) = self._unpack("i")
            if storage in _INDEX_ARRAYS:
                return self._sparse(storage)
            if storage != STORAGE["default"]:
                self._fail(f"got storage type {storage}, expected one of {STORAGE}")
            (ndim,) = self._unpack("i")
            absent = ndim == (0 if magic == V2 else -1)
            shape = None if absent else self._dimensions(ndim, "q")
        if shape is None:
            return self._elements((0,), 0)
        _device_type, _device_id, code = self._unpack("iii")
        return self._dense(shape, code)

    def _expect_semantics(self, magic: int) -> None:
        """Reject an array that was saved with another meaning of shapes, as MXNet does."""
        if magic == V3 and not is_np_shape():
            raise OpforgeError(
                f"nd.load: {self._source}: {self._where} was saved in np shape semantics and must "
                "be loaded in the same semantics. Load it inside of `with util.np_shape(True):`"
            )
        if magic != V3 and is_np_shape() and not SHAPE_EVERYWHERE[0]:
            raise OpforgeError(
                f"nd.load: {self._source}: {self._where} was not saved in np shape semantics, but "
                "is being loaded in np shape semantics. Load it inside of "
                "`with util.np_shape(False):`"
            )

    def _sparse(self, storage: int) -> Any:
        """Read one sparse array, behind its storage type."""
        stored, shape = (self._dimensions(self._unpack("i")[0], "q") for _ in range(2))
        _device_type, _device_id, code = self._unpack("iii")
        described = [(stored, code)]
        for _ in range(_INDEX_ARRAYS[storage]):
            kind, ndim = self._unpack("ii")
            described.append((self._dimensions(ndim, "q"), kind))
        return self._assembled(storage, shape, [self._dense(*one) for one in described])

    def _assembled(self, storage: int, shape: tuple[int, ...], parts: list[Any]) -> Any:
        """Return the sparse array that is made of `parts`."""
        (stype,) = (name for name, number in STORAGE.items() if number == storage)
        try:
            return operators().sparse.creation.sparse_class(stype)._of_loaded(shape, *parts)
        except OpforgeError as error:
            self._fail(f"got parts that do not fit: {error}")

    def _dense(self, shape: tuple[int, ...], code: int) -> Array:
        """Read elements of a type that the file names."""
        if not 0 <= code < len(DTYPES):
            self._fail(f"got dtype code {code}, expected one of {dict(enumerate(NAMES))}")
        if prod(size for size in shape if size) * ITEMSIZES[code] > _MAX_BYTES:
            self._fail(f"got shape {shape}, expected at most {_MAX_BYTES} bytes")  # one size is 0
        self._expect_bytes(prod(shape) * ITEMSIZES[code])
        return self._elements(shape, code)

    def _elements(self, shape: tuple[int, ...], code: int) -> Array:
        """Read straight into the memory of a new array."""
        result: Array = empty(shape, code)
        raw = numpy_alias(result).reshape(-1).view(np.uint8)
        count = self._file.readinto(raw.data) if raw.size else 0  # type: ignore[attr-defined]
        if count != raw.size:
            self._fail(f"got {count} bytes, expected {raw.size}: it was cut short meanwhile")
        self._position += count
        if DTYPES[code] is np.bool_:  # any byte but 0 is true; NumPy takes bytes as they are
            np.not_equal(raw, 0, out=raw.view(np.bool_))
        return result

    def _old_shape(self, magic: int) -> tuple[int, ...] | None:
        """Read dimensions as before V2; None stands for an array that never got a value."""
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

    def _fail(self, what: str) -> NoReturn:
        raise OpforgeError(
            f"nd.load: {self._source} is no array file or damaged: {self._where}, at byte "
            f"{self._position}: {what}"
        )
