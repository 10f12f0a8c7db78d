"""Opening of saved arrays and symbols. Layer 0."""

import os
from typing import IO, Any

from .errors import MissingFileError

__all__ = ["open_file"]


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
