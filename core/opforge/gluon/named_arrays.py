"""Arrays of a parameter file, by name."""

from collections.abc import Mapping, Sequence
from typing import TypeVar

__all__ = ["named_arrays"]

T = TypeVar("T")


def named_arrays(loaded: Mapping[str, T] | Sequence[T], where: str) -> dict[str, T]:
    """Return the arrays of a file by name; an empty file gives an empty dict.

    Parameters
    ----------
    loaded : mapping of str to object, or list
        The result of `nd.load`, or the index of a file.
    where : str
        Origin of the arrays, for the error.

    Raises
    ------
    ValueError
        The arrays have no names.
    """
    if isinstance(loaded, Mapping):
        return dict(loaded)
    if loaded:
        raise ValueError(
            f"{where} holds {len(loaded)} arrays without names; save a dict of arrays, or the "
            "parameters of a block"
        )
    return {}
