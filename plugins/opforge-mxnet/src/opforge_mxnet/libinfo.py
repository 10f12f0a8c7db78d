"""Locations of the installed files, under MXNet's names."""

from opforge.base.include import get_include
from opforge.base.version import VERSION

__all__ = ["find_include_path", "find_lib_path"]

__version__ = VERSION


def find_include_path() -> str:
    """Return the folder of the C headers for native operators."""
    return get_include()


def find_lib_path(prefix: str = "libmxnet") -> list[str]:
    """Raise RuntimeError, because opforge has no library that a program could load.

    Parameters
    ----------
    prefix : str, default "libmxnet"
        Name of the library, for the message.

    Raises
    ------
    RuntimeError
        Always, as in MXNet if the library is not found.
    """
    raise RuntimeError(
        f"Cannot find {prefix}: opforge has no such library. Compile native operators with the "
        "headers in opforge.get_include(); they are not linked with any library"
    )
