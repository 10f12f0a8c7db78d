"""Names, shapes and types of the arrays in a file, read without their elements."""

import os
from dataclasses import dataclass

from ..base.dtypes import NAMES
from .array_index import open_index

__all__ = ["ArrayHeader", "read_headers"]


@dataclass(frozen=True, slots=True)
class ArrayHeader:
    """Header of one array in a file.

    Parameters
    ----------
    name : str
        Empty if the file holds a list.
    shape : tuple of int
    dtype : str
    """

    name: str
    shape: tuple[int, ...]
    dtype: str


def read_headers(fname: str | os.PathLike[str]) -> list[ArrayHeader]:
    """Return the headers of the arrays that `nd.load` would load.

    Parameters
    ----------
    fname : path-like

    Raises
    ------
    OpforgeError
        As for `nd.load`.

    Examples
    --------
    >>> import tempfile
    >>> from opforge import nd
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     nd.save(file.name, {"weight": nd.ones((2, 3))})
    ...     read_headers(file.name)
    [ArrayHeader(name='weight', shape=(2, 3), dtype='float32')]
    """
    with open_index(fname, checks_shape_semantics=False) as found:
        named = found.items() if isinstance(found, dict) else (("", value) for value in found)
        return [ArrayHeader(name, value.shape, NAMES[value.code]) for name, value in named]
