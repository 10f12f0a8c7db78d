"""`CompoundCell`: what cells that are made of others share."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from opforge.plugin_api import F as nd

from .base import RecurrentCell, StateInfo

__all__ = ["CompoundCell"]


class CompoundCell(RecurrentCell):
    """Base of cells that are made of others, one after the other in the order of their states."""

    @property
    def _cells(self) -> Sequence[Any]:
        return list(self._children.values())

    def state_info(self, batch_size: int = 0) -> StateInfo:
        """Return shapes and layouts of all cells' states."""
        return [info for cell in self._cells for info in cell.state_info(batch_size)]

    def begin_state(
        self, batch_size: int = 0, func: Callable[..., Any] = nd.zeros, **kwargs: Any
    ) -> list[Any]:
        """Return all cells' states to begin with; see `RecurrentCell`."""
        self._expect_unmodified()
        return [
            state
            for cell in self._cells
            for state in cell.begin_state(batch_size=batch_size, func=func, **kwargs)
        ]

    def _with_states(self, states: Any) -> Iterator[tuple[Any, Any]]:
        """Yield each cell with its own of `states`."""
        at = 0
        for cell in self._cells:
            n_states = len(cell.state_info())
            yield cell, states[at : at + n_states]
            at += n_states
