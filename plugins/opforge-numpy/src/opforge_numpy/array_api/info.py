"""`__array_namespace_info__`: what the namespace supports."""

from typing import Any

from opforge.plugin_api import context

from ..promotion import default_float
from .dtypes import STANDARD, int64, isdtype

__all__ = ["NamespaceInfo", "__array_namespace_info__"]


class NamespaceInfo:
    """Devices, element types and capabilities of the namespace."""

    def capabilities(self) -> dict[str, Any]:
        """Return what the standard leaves to libraries."""
        return {
            "boolean indexing": True,
            "data-dependent shapes": True,
            "max dimensions": 32,
        }

    def default_device(self) -> Any:
        """Return the device of new arrays."""
        return context.current_context()

    def devices(self) -> tuple[Any, ...]:
        """Return the devices of arrays."""
        return (context.cpu(),)

    def default_dtypes(self, *, device: Any = None) -> dict[str, Any]:
        """Return the types of new arrays; there are no complex ones."""
        return {
            "real floating": STANDARD[default_float()],
            "integral": int64,
            "indexing": int64,
        }

    def dtypes(self, *, device: Any = None, kind: Any = None) -> dict[str, Any]:
        """Return the element types by name, all or those of kinds that `isdtype` accepts.

        Examples
        --------
        >>> from opforge import array_api as xp
        >>> list(xp.__array_namespace_info__().dtypes(kind="real floating"))
        ['float32', 'float64']
        """
        if kind is None:
            return dict(STANDARD)
        return {name: one for name, one in STANDARD.items() if isdtype(one, kind)}


def __array_namespace_info__() -> NamespaceInfo:
    """Return devices, element types and capabilities of the namespace.

    Examples
    --------
    >>> from opforge import array_api as xp
    >>> xp.__array_namespace_info__().default_dtypes()["integral"]
    dtype('int64')
    """
    return NamespaceInfo()
