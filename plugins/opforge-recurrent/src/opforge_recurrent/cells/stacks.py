"""`SequentialRNNCell` and `HybridSequentialRNNCell`, stacks of cells."""

from typing import Any

from .base import HybridRecurrentCell, RecurrentCell
from .bidirectional import BidirectionalCell
from .compound import CompoundCell
from .sequences import begin_states, namespace

__all__ = ["HybridSequentialRNNCell", "SequentialRNNCell"]


class _CellStack(CompoundCell):
    """Base class of both stacks: each cell gets the outputs of the previous one."""

    def add(self, cell: RecurrentCell) -> None:
        """Append `cell` on top of the stack."""
        self.register_child(cell)

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

    def _unroll(
        self, length: int, inputs: Any, begin: Any, layout: str, merge: bool | None, lengths: Any
    ) -> tuple[Any, list[Any]]:
        """Run all steps, cell by cell."""
        F = namespace(inputs)
        states = begin_states(self, F, begin, inputs, layout)
        last = self._cells[-1]
        next_states: list[Any] = []
        for cell, own in self._with_states(states):
            own_merge = merge if cell is last else None
            inputs, own = cell.unroll(length, inputs, own, layout, own_merge, lengths)
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
    """Stack of cells, each of which gets the outputs of the previous one.

    Parameters
    ----------
    prefix, params : optional
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
    """Stack of cells that can be hybridized.

    Parameters
    ----------
    prefix, params : optional
        As for `Block`.

    Examples
    --------
    >>> from opforge import nd
    >>> from opforge.gluon import rnn
    >>> stack = rnn.HybridSequentialRNNCell()
    >>> stack.add(rnn.LSTMCell(5))
    >>> stack.add(rnn.GRUCell(4))
    >>> stack.initialize()
    >>> stack.hybridize()
    >>> outputs, states = stack.unroll(7, nd.ones((2, 7, 3)), merge_outputs=True)
    >>> outputs.shape, len(states)
    ((2, 7, 4), 3)
    """

    def hybrid_forward(self, F: Any, inputs: Any, states: Any) -> tuple[Any, list[Any]]:
        """Run one step."""
        return self._step(inputs, states)
