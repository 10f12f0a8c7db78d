"""`CompoundCell`, the base class of cells that contain several cells."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from opforge.plugin_api import F as nd

from .base import RecurrentCell, StateInfo

__all__ = ["CompoundCell"]


class CompoundCell(RecurrentCell):
    """Base class of cells that contain others, in the order of their states."""

    @property
    def _cells(self) -> Sequence[Any]:
        return list(self._children.values())

    def state_info(self, batch_size: int = 0) -> StateInfo:
        """Return the shapes and layouts of all cells' states."""
        return [info for cell in self._cells for info in cell.state_info(batch_size)]

    def begin_state(
        self, batch_size: int = 0, func: Callable[..., Any] = nd.zeros, **kwargs: Any
    ) -> list[Any]:
        """Return the initial states of all cells; see `RecurrentCell.begin_state`."""
        self._expect_unmodified()
        return [
            state
            for cell in self._cells
            for state in cell.begin_state(batch_size=batch_size, func=func, **kwargs)
        ]

    def _with_states(self, states: Any) -> Iterator[tuple[Any, Any]]:
        """Yield each cell with its part of `states`."""
        at = 0
        for cell in self._cells:
            n_states = len(cell.state_info())
            yield cell, states[at : at + n_states]
            at += n_states
