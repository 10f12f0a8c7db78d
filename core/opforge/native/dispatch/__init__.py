"""From an operator's name to its call, and the tape that remembers it."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    # Compiled modules have no source that a type checker could read: all their names are Any.
    def __getattr__(name: str) -> Any: ...
