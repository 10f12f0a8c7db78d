"""Compiled graphs: programs, their steps, and calls of them."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    # Compiled modules have no source that a type checker could read: all their names are Any.
    def __getattr__(name: str) -> Any: ...
