"""Arrays of a parameter file, by name."""

from collections.abc import Mapping, Sequence

from ..ndarray import NDArray

__all__ = ["named_arrays"]


def named_arrays(
    loaded: Mapping[str, NDArray] | Sequence[NDArray], where: str
) -> dict[str, NDArray]:
    """Return what a file holds by name; an empty file, which has no names to show, holds nothing.

    Parameters
    ----------
    loaded : mapping of str to NDArray, or list of NDArray
        The result of `nd.load`.
    where : str
        The origin of the arrays, for the error.

    Raises
    ------
    ValueError
        There are arrays without names.
    """
    if isinstance(loaded, Mapping):
        return dict(loaded)
    if loaded:
        raise ValueError(
            f"{where} holds {len(loaded)} arrays without names; save a dict of them, or the "
            "parameters of a block"
        )
    return {}
