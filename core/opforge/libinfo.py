"""Locations of the installed files, under MXNet's names."""

from .base.include import get_include
from .base.version import VERSION

__all__ = ["find_include_path", "find_lib_path"]

__version__ = VERSION


def find_include_path() -> str:
    """Return the folder of the C headers for native operators."""
    return get_include()


def find_lib_path(prefix: str = "libmxnet") -> list[str]:
    """Raise an error: opforge has no library that a program could load.

    Parameters
    ----------
    prefix : str, default "libmxnet"
        The library's name.

    Raises
    ------
    RuntimeError
        As in MXNet where the library is not found.
    """
    raise RuntimeError(
        f"Cannot find {prefix}: opforge has no such library. Native operators are compiled with "
        "the headers in opforge.get_include() and need not be linked with anything"
    )
