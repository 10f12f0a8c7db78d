"""Kernel sources, each compiled once for every instruction set."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    # Compiled modules have no source that a type checker could read: all their names are Any.
    def __getattr__(name: str) -> Any: ...
