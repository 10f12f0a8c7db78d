"""Opening of files, and atomic replacement of one or several. Layer 0."""

import os
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import IO, Any

from .errors import MissingFileError

__all__ = ["open_file", "replacing", "replacing_together"]


def open_file(path: "str | os.PathLike[str]", mode: str, **kwargs: Any) -> IO[Any]:
    """Open a file as the builtin `open` does.

    Parameters
    ----------
    path : path-like
    mode : str
    **kwargs
        As of `open`.

    Raises
    ------
    MissingFileError
        The file to read, or the folder to write to, does not exist; MXNet raises MXNetError.
    """
    try:
        return open(path, mode, **kwargs)
    except FileNotFoundError as error:
        raise MissingFileError(error.errno, error.strerror, error.filename) from None


#: Temporary files and their targets, in a `replacing_together` block.
_renames: ContextVar["list[tuple[str, str]] | None"] = ContextVar("renames", default=None)


@contextmanager
def replacing(path: "str | os.PathLike[str]") -> Iterator[IO[bytes]]:
    """Open a file that replaces `path` when the ``with`` block ends.

    The content is flushed to disk before it gets the name, so if the block raises, the process
    dies or the machine stops, the old file is left unchanged. The new file gets the permissions of
    the old one. A pipe or device is written to directly.

    Parameters
    ----------
    path : path-like

    Raises
    ------
    MissingFileError
        The folder of `path` does not exist.
    """
    target = os.path.realpath(path)
    if os.path.exists(target) and not os.path.isfile(target):
        with open_file(target, "wb") as file:
            yield file
        return
    renames = _renames.get()
    number = f".{len(renames)}" if renames is not None else ""
    partial = f"{target}.{os.getpid()}.{threading.get_ident()}{number}.part"
    try:
        with open_file(partial, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if os.path.exists(target):
            os.chmod(partial, os.stat(target).st_mode & 0o777)
        if renames is None:
            os.replace(partial, target)
        else:
            renames.append((partial, target))
    except BaseException:
        _remove([partial])
        raise


@contextmanager
def replacing_together() -> Iterator[None]:
    """Delay all `replacing` of this thread until the block ends, and replace none if it raises.

    File systems rename one file at a time, so a process that dies between the renames still leaves
    new and old files; but all were written before. Within another block, that one replaces them.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> with replacing_together():
    ...     for name in ("a", "b"):
    ...         with replacing(folder / name) as file:
    ...             _ = file.write(b"new")
    ...     (folder / "a").exists()
    False
    >>> (folder / "a").read_bytes(), (folder / "b").read_bytes()
    (b'new', b'new')
    """
    if _renames.get() is not None:
        yield
        return
    renames: list[tuple[str, str]] = []
    token = _renames.set(renames)
    try:
        yield
        for partial, target in renames:
            os.replace(partial, target)
    except BaseException:
        _remove(partial for partial, _ in renames)
        raise
    finally:
        _renames.reset(token)


def _remove(paths: Iterable[str]) -> None:
    for path in paths:
        if os.path.exists(path):
            os.remove(path)
