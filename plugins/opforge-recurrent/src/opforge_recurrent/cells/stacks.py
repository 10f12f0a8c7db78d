"""`SequentialRNNCell` and `HybridSequentialRNNCell`: cells one above the other."""

from collections.abc import Callable, Iterator
from typing import Any

from opforge.plugin_api import F as nd

from .base import HybridRecurrentCell, RecurrentCell, StateInfo
from .bidirectional import BidirectionalCell
from .sequences import begin_states, namespace

__all__ = ["HybridSequentialRNNCell", "SequentialRNNCell"]


class _CellStack(RecurrentCell):
    """What both stacks share: each cell gets the outputs of the one before."""

    def add(self, cell: RecurrentCell) -> None:
        """Put `cell` on top."""
        self.register_child(cell)

    @property
    def _cells(self) -> list[Any]:
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

    def _step(self, inputs: Any, states: Any) -> tuple[Any, list[Any]]:
        """Run one step of all cells."""
        next_states: list[Any] = []
        for cell, own in self._with_states(states):
            assert not isinstance(cell, BidirectionalCell), (
                "a BidirectionalCell cannot be stepped; unroll the stack"
            )
            inputs, own = cell(inputs, own)
            next_states += own
        return inputs, next_states

    def unroll(
        self,
        length: int,
        inputs: Any,
        begin_state: Any = None,
        layout: str = "NTC",
        merge_outputs: bool | None = None,
        valid_length: Any = None,
    ) -> tuple[Any, list[Any]]:
        """Run all steps, cell by cell; see `RecurrentCell`."""
        self.reset()
        F = namespace(inputs)
        states = begin_states(self, F, begin_state, inputs, layout)
        last = self._cells[-1]
        next_states: list[Any] = []
        for cell, own in self._with_states(states):
            merge = merge_outputs if cell is last else None
            inputs, own = cell.unroll(length, inputs, own, layout, merge, valid_length)
            next_states += own
        return inputs, next_states

    def __getitem__(self, i: int) -> Any:
        return self._cells[i]

    def __len__(self) -> int:
        return len(self._children)

    def __repr__(self) -> str:
        lines = [
            f"({name}): {cell!r}".replace("\n", "\n  ") for name, cell in self._children.items()
        ]
        return "\n".join([f"{type(self).__name__}(", *lines, ")"])


class SequentialRNNCell(_CellStack):
    """Cells one above the other: each gets the outputs of the one before.

    Parameters
    ----------
    prefix : str, optional
    params : ParameterDict, optional
        As for `Block`.

    Examples
    --------
    >>> from opforge import gluon, nd
    >>> stack = gluon.rnn.SequentialRNNCell()
    >>> stack.add(gluon.rnn.LSTMCell(4))
    >>> stack.add(gluon.rnn.GRUCell(3))
    >>> stack.initialize()
    >>> outputs, states = stack.unroll(5, nd.ones((2, 5, 6)), merge_outputs=True)
    >>> outputs.shape, [state.shape for state in states]
    ((2, 5, 3), [(2, 4), (2, 4), (2, 3)])
    """

    def forward(self, inputs: Any, states: Any) -> tuple[Any, list[Any]]:
        """Run one step."""
        return self._step(inputs, states)


class HybridSequentialRNNCell(_CellStack, HybridRecurrentCell):
    """Cells that may be hybridized, one above the other.

    Parameters
    ----------
    prefix : str, optional
    params : ParameterDict, optional
        As for `Block`.
    """

    def hybrid_forward(self, F: Any, x: Any, states: Any) -> tuple[Any, list[Any]]:
        """Run one step."""
        return self._step(x, states)
