"""Compiled graphs: programs, their steps, and calls of them."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    # Type checkers cannot read compiled modules, so all their names are Any.
    def __getattr__(name: str) -> Any: ...
