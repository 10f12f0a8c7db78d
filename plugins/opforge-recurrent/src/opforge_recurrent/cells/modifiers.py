"""Cells that modify another cell's outputs or states."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .base import HybridRecurrentCell, StateInfo
from .bidirectional import BidirectionalCell
from .sequences import arranged, is_merged, masked, namespace

__all__ = ["ModifierCell", "ResidualCell", "StatefulModifierCell", "ZoneoutCell"]


class ModifierCell(HybridRecurrentCell):
    """Base class of cells that modify another cell, which then can no longer be called directly.

    Parameters
    ----------
    base_cell : HybridRecurrentCell

    Examples
    --------
    >>> from opforge import nd
    >>> from opforge.gluon import rnn
    >>> class Doubled(rnn.ModifierCell):
    ...     def hybrid_forward(self, F, inputs, states):
    ...         output, states = self.base_cell(inputs, states)
    ...         return 2 * output, states
    >>> cell = Doubled(rnn.RNNCell(1, i2h_weight_initializer="ones"))
    >>> cell.initialize()
    >>> output, _ = cell(nd.array([[100]]), cell.begin_state(batch_size=1))
    >>> output.asnumpy().tolist()
    [[2.0]]
    """

    def __init__(self, base_cell: Any) -> None:
        assert not base_cell._modified, (
            f"Cell {base_cell.name} is already modified. One cell cannot be modified twice"
        )
        base_cell._modified = True
        super().__init__(prefix=base_cell.prefix + self._alias(), params=None)
        self.base_cell = base_cell

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_cell})"

    @property
    def params(self) -> Any:
        """Parameters of the base cell."""
        return self.base_cell.params

    @contextmanager
    def _base_in_use(self) -> Iterator[Any]:
        """Yield the base cell, callable within the ``with`` block."""
        self.base_cell._modified = False
        try:
            yield self.base_cell
        finally:
            self.base_cell._modified = True

    def state_info(self, batch_size: int = 0) -> StateInfo:
        """Return the shape and layout of each state of the base cell."""
        found: StateInfo = self.base_cell.state_info(batch_size)
        return found

    def begin_state(self, *args: Any, **kwargs: Any) -> list[Any]:
        """Return the base cell's initial states.

        Parameters
        ----------
        *args
            `batch_size` and `func` of `RecurrentCell.begin_state`, in any order: MXNet's modifiers
            take `func` first, other cells `batch_size`.
        **kwargs
            As in `RecurrentCell.begin_state`.
        """
        self._expect_unmodified()
        given = {"func" if callable(value) else "batch_size": value for value in args}
        with self._base_in_use() as cell:
            states: list[Any] = cell.begin_state(**given, **kwargs)
        return states


class StatefulModifierCell(ModifierCell):
    """Base class of modifiers that store something besides the states between steps.

    A graph of one step would lose it; see `HybridRecurrentCell.hybridize`. In the graph of a
    complete sequence, as of a block that unrolls the cell, it is part of the graph.
    """

    def _is_stateful(self) -> bool:
        return True


class ZoneoutCell(StatefulModifierCell):
    """Zoneout: in training, keep random elements of outputs and states from the previous step.

    If the output of the base cell is one of its new states, as in LSTM, GRU and simple recurrent
    cells, it remains so with equal fractions: the same elements are kept in both.

    Parameters
    ----------
    base_cell : HybridRecurrentCell
    zoneout_outputs, zoneout_states : float, default 0.0
        Fraction of elements that keep their previous values.

    Examples
    --------
    >>> from opforge import nd
    >>> from opforge.gluon import rnn
    >>> cell = rnn.ZoneoutCell(rnn.LSTMCell(5), zoneout_outputs=0.1, zoneout_states=0.1)
    >>> cell.initialize()
    >>> outputs, states = cell.unroll(7, nd.ones((2, 7, 3)), merge_outputs=True)
    >>> outputs.shape
    (2, 7, 5)
    """

    def __init__(
        self, base_cell: Any, zoneout_outputs: float = 0.0, zoneout_states: float = 0.0
    ) -> None:
        assert not isinstance(base_cell, BidirectionalCell), (
            "BidirectionalCell doesn't support zoneout since it doesn't support step. "
            "Please add ZoneoutCell to the cells underneath instead."
        )
        super().__init__(base_cell)
        self.zoneout_outputs = zoneout_outputs
        self.zoneout_states = zoneout_states

    def _alias(self) -> str:
        return "zoneout"

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(p_out={self.zoneout_outputs}, p_state={self.zoneout_states}, "
            f"{self.base_cell})"
        )

    def reset(self) -> None:
        """Reset the step counter and forget the previous output."""
        super().reset()
        self._prev_output: Any = None

    def hybrid_forward(self, F: Any, inputs: Any, states: Any) -> tuple[Any, Any]:
        """Return the base cell's step after zoneout."""
        output, new_states = self.base_cell(inputs, states)
        next_states = new_states
        if self.zoneout_states:
            next_states = [
                _zoneout(F, self.zoneout_states, new, old)
                for new, old in zip(new_states, states, strict=True)
            ]
        same = [at for at, state in enumerate(new_states) if state is output]
        if same and self.zoneout_outputs == self.zoneout_states:
            output = next_states[same[0]]
        elif self.zoneout_outputs:
            previous = F.zeros_like(output) if self._prev_output is None else self._prev_output
            output = _zoneout(F, self.zoneout_outputs, output, previous)
        self._prev_output = output
        return output, next_states


def _zoneout(F: Any, rate: float, new: Any, old: Any) -> Any:
    """Return `new` with a random fraction of elements from `old`."""
    mask = F.Dropout(F.ones_like(new), p=rate)
    return F.where(mask, new, old)


class ResidualCell(ModifierCell):
    """Add the input to the base cell's output.

    Parameters
    ----------
    base_cell : HybridRecurrentCell

    Examples
    --------
    >>> from opforge import nd
    >>> from opforge.gluon import rnn
    >>> cell = rnn.ResidualCell(rnn.RNNCell(3, i2h_weight_initializer="zeros"))
    >>> cell.initialize()
    >>> output, _ = cell(nd.array([[1, 2, 3]]), cell.begin_state(batch_size=1))
    >>> output.asnumpy().tolist()
    [[1.0, 2.0, 3.0]]
    """

    def hybrid_forward(self, F: Any, inputs: Any, states: Any) -> tuple[Any, Any]:
        """Return the base cell's step with the input added to the output."""
        output, states = self.base_cell(inputs, states)
        return F.elemwise_add(output, inputs, name=f"t{self._counter}_fwd"), states

    def _unroll(
        self, length: int, inputs: Any, begin: Any, layout: str, merge: bool | None, lengths: Any
    ) -> tuple[Any, Any]:
        """Run all steps of the base cell and add the inputs."""
        F, axis = namespace(inputs), layout.find("T")
        with self._base_in_use() as cell:
            outputs, states = cell.unroll(length, inputs, begin, layout, merge, lengths)
        merge = is_merged(outputs) if merge is None else merge
        if lengths is not None:
            inputs = masked(F, inputs, lengths, axis)
        inputs = arranged(F, inputs, length, axis, merge)
        if merge:
            return F.elemwise_add(outputs, inputs), states
        return [F.elemwise_add(o, i) for o, i in zip(outputs, inputs, strict=True)], states
