"""`nd.save`, `nd.load` and `nd.load_frombuffer`: MXNet 1.x's binary format, and safetensors.

Files are exchangeable between opforge and MXNet 1.9.1; see `array_bytes` and `safetensors_bytes`
for the formats.
"""

import io
import os
import stat
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import IO, Any, NamedTuple

import numpy as np

from ..base.dtypes import TYPES, code_of
from ..base.errors import NotSupportedForSparseNDArray, ShapeError
from ..base.files import open_file, replacing
from ..base.numpy_semantics import is_np_shape
from ..native.array import Var, push
from .array_bytes import CPU, LIST_MAGIC, STORAGE, V2, V3, Reader
from .array_index import open_index
from .ndarray import NDArray
from .safetensors_bytes import SUFFIX, SafetensorsReader, is_safetensors, safetensors_head

__all__ = ["load", "load_frombuffer", "open_saved", "save"]

#: Files that are being written in the background.
_pending: dict[str, Var] = {}


class Content:
    """Content of an array in a file: copies of its parts, a single one if it is dense.

    Parameters
    ----------
    array : NDArray of any storage type
    """

    def __init__(self, array: Any) -> None:
        self._magic = V3 if is_np_shape() else V2
        self._storage = STORAGE[array.stype]
        self._shape = array.shape
        parts = [array] if self._storage == STORAGE["default"] else array._parts()
        self._parts = [part.asnumpy() for part in parts]

    def write(self, file: IO[bytes]) -> None:
        """Write the bytes in the format of `array_bytes`."""
        data, *indices = self._parts
        file.write(struct.pack("<Ii", self._magic, self._storage))
        if indices:
            file.write(_dimensions(data.shape))
        file.write(_dimensions(self._shape) + CPU + struct.pack("<i", _file_code(data.dtype)))
        for part in indices:
            file.write(struct.pack("<i", _file_code(part.dtype)) + _dimensions(part.shape))
        self.write_elements(file)

    def write_elements(self, file: IO[bytes]) -> None:
        """Write the elements only."""
        for part in self._parts:
            file.write(part.reshape(-1).view(np.uint8).data)


def _file_code(dtype: Any) -> int:
    return TYPES[code_of(dtype)].mxnet_code


def _dimensions(shape: tuple[int, ...]) -> bytes:
    return struct.pack(f"<i{len(shape)}q", len(shape), *shape)


def save(fname: str | os.PathLike[str], data: Any, wait: bool = True) -> Var | None:
    """Save arrays to a file in MXNet 1.x's format or in safetensors.

    Parameters
    ----------
    fname : path-like
        Replaced atomically: an interrupted save leaves the previous file unchanged. A name that
        ends in ``.safetensors`` selects that format, which other libraries can load.
    data : NDArray, list of NDArray, or dict of str to NDArray
    wait : bool, default True
        False: copy the arrays and return; the engine writes the copies, so the arrays may be
        changed immediately. A later `save` or `load` of the file waits for it.

    Returns
    -------
    engine.Var or None
        With ``wait=False``: its ``wait_to_read()`` waits for the file and raises write errors, as
        do ``nd.waitall()`` and a later `save` or `load` of the file.

    Raises
    ------
    ValueError
        `data` has another type, or safetensors cannot hold it, such as a list.
    TypeError
        A value is not an NDArray, or a key is not a str.
    MXNetError
        An array has shape () outside of `util.np_shape`, or is sparse inside of it.

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
    if not os.fsdecode(fname).endswith(SUFFIX):
        _expect_savable(arrays)
    target = os.path.realpath(os.fspath(fname))
    form = _form_of(os.fsdecode(fname), names, arrays)
    if wait:
        _finish(target)
        _replace(target, form, map(Content, form.arrays))
        return None
    contents = [Content(value) for value in form.arrays]
    for path in [path for path, var in _pending.items() if var.is_idle]:
        del _pending[path]
    written = _pending.setdefault(target, Var())
    form = form._replace(arrays=[])  # the copies are written instead
    push(lambda: _replace(target, form, contents), write=[written])
    return written


def _expect_savable(arrays: Iterable[Any]) -> None:
    """Reject arrays that MXNet's format cannot hold with the current shape semantics."""
    for array in arrays:
        if is_np_shape() and array.stype != "default":
            raise NotSupportedForSparseNDArray(
                f"nd.save: got an array of storage {array.stype!r}; only allow serializing ndarray "
                "of default storage type in np shape semantics. Call tostype('default') first, or "
                "save inside of `with util.np_shape(False):`"
            )
        if not array.shape and not is_np_shape():
            raise ShapeError(
                "nd.save: got an array of shape (), which the format supports in np shape "
                "semantics only. Save and load inside of `with util.np_shape(True):`, or reshape "
                "it to (1,)"
            )


class _Form(NamedTuple):
    """Components of a file."""

    head: bytes
    arrays: list[Any]  # in the order of the file
    write: Callable[[Content, IO[bytes]], None]
    tail: bytes


def _form_of(fname: str, names: list[str], arrays: list[Any]) -> _Form:
    """Return the format that the name of a file selects."""
    if fname.endswith(SUFFIX):
        head, arrays = safetensors_head(names, arrays)
        return _Form(head, arrays, Content.write_elements, b"")
    texts = [name.encode() for name in names]
    tail = b"".join(struct.pack("<Q", len(text)) + text for text in texts)
    return _Form(
        struct.pack("<QQQ", LIST_MAGIC, 0, len(arrays)),
        arrays,
        Content.write,
        struct.pack("<Q", len(names)) + tail,
    )


def _finish(target: str) -> None:
    """Wait for a file that is being written; raise its write error, once."""
    written = _pending.pop(target, None)
    if written is not None:
        written.wait_to_read()


def _replace(target: str, form: _Form, contents: Iterable[Content]) -> None:
    """Write a file and replace `target` with it."""
    with replacing(target) as file:
        file.write(form.head)
        for content in contents:
            form.write(content, file)
        file.write(form.tail)


def load(fname: str | os.PathLike[str]) -> Any:
    """Load a file that `save` or MXNet's `nd.save` wrote, or a safetensors file.

    Parameters
    ----------
    fname : path-like

    Returns
    -------
    list of NDArray, or dict of str to NDArray
        As it was saved; a single array becomes a list of one. A safetensors file gives a dict;
        arrays of bfloat16 keep their type.

    Raises
    ------
    OpforgeError
        The file has another format, is damaged, or holds arrays of an unsupported kind.
    MissingFileError
        The file does not exist; this is also a FileNotFoundError.
    """
    path = os.fspath(fname)
    if _pending:
        _finish(os.path.realpath(path))
    with open_file(path, "rb") as file:
        status = os.fstat(file.fileno())
        if stat.S_ISREG(status.st_mode):
            return _read(file, status.st_size, path)
        content = file.read()
        return _read(io.BytesIO(content), len(content), path)


@contextmanager
def open_saved(fname: str | os.PathLike[str]) -> Iterator[Any]:
    """Open a file for reading its arrays one by one, after waiting for a `save` of it.

    Yields
    ------
    list or dict of str to (SavedArray or SavedSparseArray)
        See `array_index`.

    Raises
    ------
    OpforgeError, MissingFileError
        As for `load`.
    """
    path = os.fspath(fname)
    if _pending:
        _finish(os.path.realpath(path))
    with open_index(path) as arrays:
        yield arrays


def load_frombuffer(buf: Any) -> Any:
    """Load arrays from the bytes of a saved file.

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
    file = io.BytesIO(buf)
    return _read(file, file.getbuffer().nbytes, "buffer")


def _read(file: IO[bytes], length: int, source: str) -> Any:
    """Read a file, whose first bytes determine the format."""
    reader = SafetensorsReader if is_safetensors(file) else Reader
    return reader(file, length, source).arrays()


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
