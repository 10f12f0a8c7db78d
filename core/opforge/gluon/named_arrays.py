"""Arrays of a parameter file, by name."""

from collections.abc import Mapping, Sequence

from ..ndarray import NDArray

__all__ = ["named_arrays"]


def named_arrays(
    loaded: Mapping[str, NDArray] | Sequence[NDArray], where: str
) -> dict[str, NDArray]:
    """Return the arrays of a file by name; an empty file gives an empty dict.

    Parameters
    ----------
    loaded : mapping of str to NDArray, or list of NDArray
        The result of `nd.load`.
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
