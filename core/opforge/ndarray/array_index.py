"""Index of the arrays in a file: shape, type and position of each, whose elements are read later.

All checks of `nd.load` except those of elements are made at once.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from typing import IO, Any, NamedTuple

from ..base.dtypes import ITEMSIZES
from ..base.files import open_file
from .array_bytes import Reader
from .safetensors_bytes import SafetensorsReader, is_safetensors

__all__ = ["SavedArray", "SavedSparseArray", "open_index"]


class SavedArray(NamedTuple):
    """Dense array in an open file.

    Parameters
    ----------
    reader : IndexReader
    shape : tuple of int
    code : int
        Code of the element type.
    position : int
        First byte of the elements.
    """

    reader: "IndexReader"
    shape: tuple[int, ...]
    code: int
    position: int

    def read(self) -> Any:
        """Return a new array with the elements."""
        return self.reader.elements_of(self)


class SavedSparseArray(NamedTuple):
    """Sparse array in an open file.

    Parameters
    ----------
    reader : IndexReader
    shape : tuple of int
    code : int
        Code of the element type.
    storage : int
        Code of the storage type.
    parts : list of SavedArray
    """

    reader: "IndexReader"
    shape: tuple[int, ...]
    code: int
    storage: int
    parts: list[SavedArray]

    def read(self) -> Any:
        """Return a new array with the elements."""
        return self.reader.sparse_array_of(self)


class IndexReader(Reader):
    """Reader that returns `SavedArray` and `SavedSparseArray` instead of arrays."""

    def _elements(self, shape: tuple[int, ...], code: int) -> Any:
        found = SavedArray(self, shape, code, self._position)
        size = ITEMSIZES[code]
        for extent in shape:
            size *= extent
        self._file.seek(size, os.SEEK_CUR)
        self._position += size
        return found

    def _sparse_array(self, storage: int, shape: tuple[int, ...], parts: list[Any]) -> Any:
        return SavedSparseArray(self, shape, parts[0].code, storage, parts)

    def elements_of(self, saved: SavedArray) -> Any:
        """Read a dense array."""
        self._file.seek(saved.position)
        self._position = saved.position
        return super()._elements(saved.shape, saved.code)

    def sparse_array_of(self, saved: SavedSparseArray) -> Any:
        """Read a sparse array."""
        parts = [part.read() for part in saved.parts]
        return super()._sparse_array(saved.storage, saved.shape, parts)


class PlainIndexReader(IndexReader, SafetensorsReader):
    """The same for safetensors files."""


@contextmanager
def open_index(path: str | os.PathLike[str], checks_shape_semantics: bool = True) -> Iterator[Any]:
    """Open a file for reading its arrays one by one.

    Parameters
    ----------
    path : path-like
    checks_shape_semantics : bool, default True
        Whether files that need NumPy's shape semantics are rejected without them.

    Yields
    ------
    list or dict of str to (SavedArray or SavedSparseArray)
        As the result of `nd.load`.

    Raises
    ------
    OpforgeError, MissingFileError
        As for `nd.load`.

    Examples
    --------
    >>> import tempfile
    >>> from opforge import nd
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     nd.save(file.name, {"weight": nd.ones((2, 3))})
    ...     with open_index(file.name) as arrays:
    ...         arrays["weight"].shape, arrays["weight"].read().shape
    ((2, 3), (2, 3))
    """
    with open_file(path, "rb") as opened:
        file: IO[bytes] = opened
        status = os.fstat(file.fileno())
        length = status.st_size
        if not stat.S_ISREG(status.st_mode):  # a pipe has no length and no positions
            content = file.read()
            file, length = BytesIO(content), len(content)
        kind = PlainIndexReader if is_safetensors(file) else IndexReader
        reader = kind(file, length, os.fspath(path))
        reader.checks_shape_semantics = checks_shape_semantics
        yield reader.arrays()
