"""`nd.save`, `nd.load` and `nd.load_frombuffer`: MXNet 1.x's binary format, and safetensors.

Files go both ways between opforge and MXNet 1.9.1; see `array_bytes` and `safetensors_bytes` for
what stands in them.
"""

import io
import os
import stat
import struct
from collections.abc import Callable, Iterable, Mapping
from typing import IO, Any, NamedTuple

from ..base.dtypes import code_of
from ..base.errors import NotSupportedForSparseNDArray, ShapeError
from ..base.files import open_file, replacing
from ..base.numpy_semantics import is_np_shape
from ..native.array import Var, push
from .array_bytes import CPU, LIST_MAGIC, STORAGE, V2, V3, Reader
from .ndarray import NDArray
from .safetensors_bytes import SUFFIX, SafetensorsReader, is_safetensors, safetensors_head

__all__ = ["load", "load_frombuffer", "save"]

#: Files that are being written in the background.
_pending: dict[str, Var] = {}


class Content:
    """Content of an array in a file: copies of the arrays that store it, one if it is dense.

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
        """Write the bytes that `array_bytes` describes."""
        data, *places = self._parts
        file.write(struct.pack("<Ii", self._magic, self._storage))
        if places:
            file.write(_dimensions(data.shape))
        file.write(_dimensions(self._shape) + CPU + struct.pack("<i", code_of(data.dtype)))
        for part in places:
            file.write(struct.pack("<i", code_of(part.dtype)) + _dimensions(part.shape))
        self.write_elements(file)

    def write_elements(self, file: IO[bytes]) -> None:
        """Write the bytes of the elements alone."""
        for part in self._parts:
            file.write(memoryview(part.reshape(-1)).cast("B"))


def _dimensions(shape: tuple[int, ...]) -> bytes:
    return struct.pack(f"<i{len(shape)}q", len(shape), *shape)


def save(fname: str | os.PathLike[str], data: Any, wait: bool = True) -> Var | None:
    """Save arrays to a file that opforge and MXNet 1.x can load, or one of safetensors.

    Parameters
    ----------
    fname : path-like
        Replaced as a whole: an interrupted save leaves the former file as it was. A name that ends
        with ``.safetensors`` asks for that format, which other libraries load.
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
        `data` is none of these, or nothing that safetensors can hold, such as a list.
    TypeError
        A value is no NDArray, or a key is no str.
    MXNetError
        An array of shape () outside of `util.np_shape`, or a sparse one inside.

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
    form = form._replace(arrays=[])  # what is written are the copies
    push(lambda: _replace(target, form, contents), write=[written])
    return written


def _expect_savable(arrays: Iterable[Any]) -> None:
    """Reject what MXNet's format does not hold with the current meaning of shapes."""
    for array in arrays:
        if is_np_shape() and array.stype != "default":
            raise NotSupportedForSparseNDArray(
                f"nd.save: got an array of storage {array.stype!r}; only allow serializing ndarray "
                "of default storage type in np shape semantics. Call tostype('default') first, or "
                "save inside of `with util.np_shape(False):`"
            )
        if not array.shape and not is_np_shape():
            raise ShapeError(
                "nd.save: got an array of shape (), which the format holds in np shape semantics "
                "alone. Save and load inside of `with util.np_shape(True):`, or reshape it to (1,)"
            )


class _Form(NamedTuple):
    """Components of a file."""

    head: bytes
    arrays: list[Any]  # in the order of the file
    write: Callable[[Content, IO[bytes]], None]
    tail: bytes


def _form_of(fname: str, names: list[str], arrays: list[Any]) -> _Form:
    """Return the form that the name of a file asks for."""
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
    """Wait for a file that is being written; raise what went wrong, once."""
    written = _pending.pop(target, None)
    if written is not None:
        written.wait_to_read()


def _replace(target: str, form: _Form, contents: Iterable[Content]) -> None:
    """Write a file in the place of `target`."""
    with replacing(target) as file:
        file.write(form.head)
        for content in contents:
            form.write(content, file)
        file.write(form.tail)


def load(fname: str | os.PathLike[str]) -> Any:
    """Load what `save` or MXNet's `nd.save` wrote, or a file of safetensors.

    Parameters
    ----------
    fname : path-like

    Returns
    -------
    list of NDArray, or dict of str to NDArray
        As it was saved; a single array comes as a list of one. Of safetensors a dict; bfloat16
        becomes float32.

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
            return _read(file, status.st_size, path)
        content = file.read()
        return _read(io.BytesIO(content), len(content), path)


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
    file = io.BytesIO(buf)
    return _read(file, file.getbuffer().nbytes, "buffer")


def _read(file: IO[bytes], length: int, source: str) -> Any:
    """Read a file whose beginning tells its format."""
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
