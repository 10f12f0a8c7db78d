"""Location of the header of the native interface."""

from pathlib import Path

__all__ = ["get_include"]


def get_include() -> str:
    """Return the folder to include ``opforge/abi.h`` and to cimport ``opforge.abi`` from.

    Examples
    --------
    >>> from pathlib import Path
    >>> (Path(get_include()) / "opforge" / "abi.h").is_file()
    True
    """
    return str(Path(__file__).parents[1] / "include")
