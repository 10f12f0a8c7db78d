"""Arrays of `mx.np` that share the memory of arrays of other libraries."""

from typing import Any

from opforge.plugin_api import F

from ..arrays import adopt

__all__ = ["from_dlpack", "from_numpy"]


def from_numpy(ndarray: Any, zero_copy: bool = True) -> Any:
    """Return a NumPy array as an array that shares its memory; see `nd.from_numpy`."""
    return adopt(F.from_numpy(ndarray, zero_copy))


def from_dlpack(dlpack: Any) -> Any:
    """Return an array that shares the memory of another library's; see `nd.from_dlpack`."""
    return adopt(F.from_dlpack(dlpack))
