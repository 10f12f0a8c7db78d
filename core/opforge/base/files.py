"""Opening of files, and atomic replacement of a file. Layer 0."""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

from .errors import MissingFileError

__all__ = ["open_file", "replacing"]


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


@contextmanager
def replacing(path: "str | os.PathLike[str]") -> Iterator[IO[bytes]]:
    """Open a file that replaces `path` when the ``with`` block ends.

    If the block raises or the process dies, the old file is left unchanged. The new file gets the
    permissions of the old one. A pipe or device is written to directly.

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
    partial = f"{target}.{os.getpid()}.{threading.get_ident()}.part"
    try:
        with open_file(partial, "wb") as file:
            yield file
        if os.path.exists(target):
            os.chmod(partial, os.stat(target).st_mode & 0o777)
        os.replace(partial, target)
    except BaseException:
        if os.path.exists(partial):
            os.remove(partial)
        raise
