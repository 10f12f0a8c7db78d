"""Execution: parallel loops, the engine and its tasks, streams of random numbers."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    # Type checkers cannot read compiled modules, so all their names are Any.
    def __getattr__(name: str) -> Any: ...
