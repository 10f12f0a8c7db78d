"""Files of arrays of `mx.np`, in MXNet's format."""

from typing import Any

from opforge.plugin_api import F, numpy_semantics

from ..arrays import adopt

__all__ = ["load", "save"]


def save(file: str, arr: Any) -> None:
    """Save arrays to a file that `load` and MXNet read.

    Parameters
    ----------
    file : str
    arr : ndarray, list of ndarray, or dict of str to ndarray
    """
    with numpy_semantics.np_shape():
        F.save(file, arr)


def load(file: str) -> Any:
    """Load arrays from a file as a list, or as a dict if they have names.

    Parameters
    ----------
    file : str
    """
    found = F.load(file)
    adopt([*found.values()] if isinstance(found, dict) else found)
    return found
