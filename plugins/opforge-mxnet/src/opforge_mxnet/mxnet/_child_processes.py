"""``import mxnet`` in processes that multiprocessing starts by "spawn" or "forkserver".

Such a process starts with a new interpreter. It first reads what the parent prepares for it, and
unpickling a part of that calls `install`.
"""

from multiprocessing import spawn
from typing import Any

__all__ = ["install_in_children", "leave_children"]

_get_preparation_data = spawn.get_preparation_data
#: Entry of the prepared data, which multiprocessing itself ignores.
_KEY = "opforge.mxnet"


class _Installation:
    """Object that calls `install` where it is unpickled."""

    def __init__(self, force: bool) -> None:
        self._force = force

    def __reduce__(self) -> tuple[Any, tuple[bool]]:
        from ._finder import install

        return install, (self._force,)


def install_in_children(force: bool) -> None:
    """Make processes that multiprocessing starts call ``install(force)``.

    Parameters
    ----------
    force : bool
    """

    def with_installation(name: str) -> dict[str, Any]:
        return {**_get_preparation_data(name), _KEY: _Installation(force)}

    spawn.get_preparation_data = with_installation


def leave_children() -> None:
    """Undo `install_in_children`."""
    spawn.get_preparation_data = _get_preparation_data
