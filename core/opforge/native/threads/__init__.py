"""Execution: parallel loops, the engine and its tasks, streams of random numbers."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    # Compiled modules have no source that a type checker could read: all their names are Any.
    def __getattr__(name: str) -> Any: ...
