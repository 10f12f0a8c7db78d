"""Location of the headers of the native interface."""

from pathlib import Path

__all__ = ["get_include"]


def get_include() -> str:
    """Return the include folder of ``opforge/abi.h`` and ``opforge/abi.pxd``.

    Examples
    --------
    >>> from pathlib import Path
    >>> (Path(get_include()) / "opforge" / "abi.h").is_file()
    True
    """
    return str(Path(__file__).parents[1] / "include")
