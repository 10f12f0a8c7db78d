"""`VariationalDropoutCell`, with one dropout mask for all steps of a sequence."""

from typing import Any

from .bidirectional import BidirectionalCell
from .modifiers import StatefulModifierCell
from .sequences import arranged, as_sequence, begin_states, namespace

__all__ = ["VariationalDropoutCell"]


class VariationalDropoutCell(StatefulModifierCell):
    """Dropout of inputs, states and outputs with masks shared by all steps (Gal, 2016).

    Parameters
    ----------
    base_cell : HybridRecurrentCell
    drop_inputs, drop_states, drop_outputs : float, default 0.0
        Fraction of elements set to 0 in training; `drop_states` applies to the first state.

    Examples
    --------
    >>> from opforge import nd
    >>> from opforge.gluon import contrib, rnn
    >>> cell = contrib.rnn.VariationalDropoutCell(rnn.LSTMCell(5), drop_inputs=0.2)
    >>> cell.initialize()
    >>> outputs, states = cell.unroll(7, nd.ones((2, 7, 3)), merge_outputs=True)
    >>> outputs.shape
    (2, 7, 5)
    """

    def __init__(
        self,
        base_cell: Any,
        drop_inputs: float = 0.0,
        drop_states: float = 0.0,
        drop_outputs: float = 0.0,
    ) -> None:
        assert not drop_states or not isinstance(base_cell, BidirectionalCell), (
            "BidirectionalCell doesn't support variational state dropout. "
            "Please add VariationalDropoutCell to the cells underneath instead."
        )
        super().__init__(base_cell)
        self.drop_inputs = drop_inputs
        self.drop_states = drop_states
        self.drop_outputs = drop_outputs

    def _alias(self) -> str:
        return "vardrop"

    def __repr__(self) -> str:
        return f"{type(self).__name__}(p_out = {self.drop_outputs}, p_state = {self.drop_states})"

    def reset(self) -> None:
        """Reset the step counter and forget the masks."""
        super().reset()
        self.drop_inputs_mask: Any = None
        self.drop_states_mask: Any = None
        self.drop_outputs_mask: Any = None

    def _apply_mask(self, F: Any, part: str, value: Any) -> Any:
        """Return `value` times the mask of a part, drawn at the first step."""
        rate = getattr(self, f"drop_{part}")
        if not rate:
            return value
        mask = getattr(self, f"drop_{part}_mask")
        if mask is None:
            mask = F.Dropout(F.ones_like(value), p=rate)
            setattr(self, f"drop_{part}_mask", mask)
        return value * mask

    def hybrid_forward(self, F: Any, inputs: Any, states: Any) -> tuple[Any, Any]:
        """Return the base cell's step after variational dropout."""
        states = [*(self._apply_mask(F, "states", state) for state in states[:1]), *states[1:]]
        output, next_states = self.base_cell(self._apply_mask(F, "inputs", inputs), states)
        return self._apply_mask(F, "outputs", output), next_states

    def _unroll(
        self, length: int, inputs: Any, begin: Any, layout: str, merge: bool | None, lengths: Any
    ) -> tuple[Any, Any]:
        """Run all steps; without dropout of states, the base cell's `unroll` does."""
        if self.drop_states:
            return super()._unroll(length, inputs, begin, layout, merge, lengths)
        F, axis = namespace(inputs), layout.find("T")
        inputs = as_sequence(F, inputs, axis)
        states = begin_states(self, F, begin, inputs, layout)
        if self.drop_inputs:
            inputs = F.Dropout(inputs, p=self.drop_inputs, axes=(axis,))
        with self._base_in_use() as cell:
            outputs, states = cell.unroll(length, inputs, states, layout, True, lengths)
        if self.drop_outputs:
            outputs = F.Dropout(outputs, p=self.drop_outputs, axes=(axis,))
        return arranged(F, outputs, length, axis, merge), states
