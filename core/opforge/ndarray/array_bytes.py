"""Reader of MXNet 1.x's binary array format.

Supports every header that MXNet 1.x wrote (before 0.12, V1, V2, V3). Invariants: reading runs no
code of the file, allocates no more than the file's size, and every defect is an `OpforgeError` with
its location.

A file is, little-endian: u64 0x112, u64 0, u64 count, the arrays, u64 count of names (0 for a
list), each name as u64 length and UTF-8 bytes. An array is: u32 magic, i32 storage type,
i32 ndim, i64 dimensions, i32 device type, i32 device id, i32 dtype code, the elements. A sparse one
has the dimensions of its values before its own and, after the dtype code, dtype code and dimensions
of each index array; the elements of the index arrays follow the values.
"""

import io
import struct
from math import prod
from typing import IO, Any, NoReturn

import numpy as np

from ..base.dtypes import ITEMSIZES, TYPES, code_of_mxnet, dtype_of
from ..base.errors import OpforgeError
from ..base.numpy_semantics import SHAPE_EVERYWHERE, is_np_shape
from ..native.array import Array, empty, numpy_alias
from ._operators import operators

__all__ = ["CPU", "LIST_MAGIC", "STORAGE", "V2", "V3", "Reader", "single_array"]

LIST_MAGIC = 0x112
_V1, V2, V3 = 0xF993FAC8, 0xF993FAC9, 0xF993FACA
#: Codes of storage types, and the number of index arrays of each.
STORAGE = {"default": 0, "row_sparse": 1, "csr": 2}
_INDEX_ARRAYS = {1: 1, 2: 2}
CPU = struct.pack("<ii", 1, 0)
_MAX_NDIM = 32
_MAX_BYTES = 1 << 46
_MIN_LENGTH = 24


def single_array(content: Any) -> Array:
    """Return the array in a pickle of MXNet, which stores its bytes without the file header.

    Parameters
    ----------
    content : bytes-like

    Raises
    ------
    OpforgeError
        The bytes are not an array.
    """
    file = io.BytesIO(content)
    return Reader(file, file.getbuffer().nbytes, "pickle").array()


class Reader:
    """Reader at a position of a file of known length."""

    #: Whether to reject arrays that were saved with other shape semantics, see `np_shape`.
    checks_shape_semantics = True

    def __init__(self, file: IO[bytes], length: int, source: Any) -> None:
        self._file = file
        self._length = length
        self._source = source
        self._position = 0
        self._location = "header"

    def arrays(self) -> Any:
        """Read the entire file."""
        if self._length < _MIN_LENGTH:
            self._fail(f"got {self._length} bytes, expected at least {_MIN_LENGTH}")
        (magic,) = self._unpack("Q")
        if magic != LIST_MAGIC:
            self._fail(f"it starts with {magic:#x}, expected {LIST_MAGIC:#x} as written by nd.save")
        _, count = self._unpack("QQ")
        values = []
        for index in range(self._plausible(count, 4)):
            self._location = f"array {index} of {count}"
            values.append(self.array())
        self._location = "names"
        names = [self._name() for _ in range(self._plausible(self._unpack("Q")[0], 8))]
        if self._position != self._length:
            self._fail(f"got {self._length - self._position} bytes after its end, expected none")
        return self._combine(names, values)

    def _combine(self, names: list[str], values: list[Array]) -> Any:
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
        return self._dense(shape, self._type(code))

    def _expect_semantics(self, magic: int) -> None:
        """Reject an array saved with other shape semantics, as MXNet does."""
        if magic == V3 and not is_np_shape():
            raise OpforgeError(
                f"nd.load: {self._source}: {self._location} was saved in np shape semantics "
                "and must be loaded in the same semantics. Load it inside of "
                "`with util.np_shape(True):`"
            )
        if magic != V3 and is_np_shape() and not SHAPE_EVERYWHERE[0]:
            raise OpforgeError(
                f"nd.load: {self._source}: {self._location} was not saved in np shape semantics, "
                "but is being loaded in np shape semantics. Load it inside of "
                "`with util.np_shape(False):`"
            )

    def _sparse(self, storage: int) -> Any:
        """Read one sparse array, after its storage type."""
        stored, shape = (self._dimensions(self._unpack("i")[0], "q") for _ in range(2))
        _device_type, _device_id, code = self._unpack("iii")
        described = [(stored, self._type(code))]
        for _ in range(_INDEX_ARRAYS[storage]):
            kind, ndim = self._unpack("ii")
            described.append((self._dimensions(ndim, "q"), self._type(kind)))
        return self._sparse_array(storage, shape, [self._dense(*one) for one in described])

    def _sparse_array(self, storage: int, shape: tuple[int, ...], parts: list[Any]) -> Any:
        """Return the sparse array with the given parts."""
        (stype,) = (name for name, number in STORAGE.items() if number == storage)
        try:
            return operators().sparse.creation.sparse_class(stype)._of_loaded(shape, *parts)
        except OpforgeError as error:
            self._fail(f"got parts that do not fit: {error}")

    def _type(self, file_code: int) -> int:
        """Return the type that a code of the file stands for."""
        code = code_of_mxnet(file_code)
        if code < 0:
            known = {row.mxnet_code: row.name for row in TYPES}
            self._fail(f"got dtype code {file_code}, expected one of {known}")
        return code

    def _dense(self, shape: tuple[int, ...], code: int) -> Array:
        """Read the elements of an array."""
        if prod(size for size in shape if size) * ITEMSIZES[code] > _MAX_BYTES:
            self._fail(f"got shape {shape}, expected at most {_MAX_BYTES} bytes")  # one size is 0
        self._expect_bytes(prod(shape) * ITEMSIZES[code])
        return self._elements(shape, code)

    def _elements(self, shape: tuple[int, ...], code: int) -> Array:
        """Read directly into the memory of a new array."""
        result: Array = empty(shape, code)
        raw = numpy_alias(result).reshape(-1).view(np.uint8)
        count = self._file.readinto(raw.data) if raw.size else 0  # type: ignore[attr-defined]
        if count != raw.size:
            self._fail(f"got {count} bytes, expected {raw.size}: the file was truncated while read")
        self._position += count
        if dtype_of(code) is np.bool_:  # any byte but 0 is true; NumPy would keep other bytes
            np.not_equal(raw, 0, out=raw.view(np.bool_))
        return result

    def _old_shape(self, magic: int) -> tuple[int, ...] | None:
        """Read dimensions as before V2; None for an array that never got a value."""
        if magic == _V1:
            (ndim,) = self._unpack("I")
            return self._dimensions(ndim, "q") if ndim else None
        # Before V1 there was no magic: the file starts with ndim as u32, like the dimensions.
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
            return str(self._read_bytes(length), "utf-8")
        except UnicodeDecodeError as error:
            self._fail(f"got a name that is not UTF-8 ({error.reason}), expected text")

    def _plausible(self, count: int, least: int) -> int:
        """Return `count` if that many items of at least `least` bytes fit the rest of the file."""
        left = self._length - self._position
        if count * least > left:
            self._fail(f"got a count of {count}, expected at most {left // least} in {left} bytes")
        return count

    def _unpack(self, kinds: str) -> tuple[Any, ...]:
        layout = struct.Struct("<" + kinds)
        return layout.unpack(self._read_bytes(layout.size))

    def _read_bytes(self, nbytes: int) -> bytes:
        self._expect_bytes(nbytes)
        content = self._file.read(nbytes)
        if len(content) != nbytes:
            self._fail(
                f"got {len(content)} bytes, expected {nbytes}: the file was truncated while read"
            )
        self._position += nbytes
        return content

    def _expect_bytes(self, nbytes: int) -> None:
        """Reject a size beyond the end of the file before memory is allocated for it."""
        left = self._length - self._position
        if nbytes > left:
            self._fail(
                f"got {left} bytes, expected {nbytes}: the file is truncated or a size is wrong"
            )

    def _fail(self, what: str) -> NoReturn:
        raise OpforgeError(
            f"nd.load: {self._source} is not an array file or is damaged: {self._location}, at "
            f"byte {self._position}: {what}"
        )
