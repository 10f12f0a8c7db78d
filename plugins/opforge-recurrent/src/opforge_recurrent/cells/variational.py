"""`VariationalDropoutCell`: one dropout mask for all steps of a sequence."""

from typing import Any

from .bidirectional import BidirectionalCell
from .modifiers import RememberingCell
from .sequences import arranged, as_sequence, begin_states, namespace

__all__ = ["VariationalDropoutCell"]


class VariationalDropoutCell(RememberingCell):
    """Dropout of inputs, states and outputs with masks that all steps share (Gal, 2016).

    Parameters
    ----------
    base_cell : HybridRecurrentCell
    drop_inputs, drop_states, drop_outputs : float, default 0.0
        Share of elements that become 0 while training; of the states, the first is meant.
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
        """Count steps anew and forget the masks."""
        super().reset()
        self.drop_inputs_mask: Any = None
        self.drop_states_mask: Any = None
        self.drop_outputs_mask: Any = None

    def _dropped(self, F: Any, part: str, value: Any) -> Any:
        """Return `value` times the mask of a part, which its first step draws."""
        share = getattr(self, f"drop_{part}")
        if not share:
            return value
        mask = getattr(self, f"drop_{part}_mask")
        if mask is None:
            mask = F.Dropout(F.ones_like(value), p=share)
            setattr(self, f"drop_{part}_mask", mask)
        return value * mask

    def hybrid_forward(self, F: Any, x: Any, states: Any) -> tuple[Any, Any]:
        """Return the base cell's step of what the masks leave."""
        states = [*(self._dropped(F, "states", state) for state in states[:1]), *states[1:]]
        output, next_states = self.base_cell(self._dropped(F, "inputs", x), states)
        return self._dropped(F, "outputs", output), next_states

    def unroll(
        self,
        length: int,
        inputs: Any,
        begin_state: Any = None,
        layout: str = "NTC",
        merge_outputs: bool | None = None,
        valid_length: Any = None,
    ) -> tuple[Any, Any]:
        """Run all steps; without dropout of states, the base cell's own `unroll` does."""
        if self.drop_states:
            return super().unroll(length, inputs, begin_state, layout, merge_outputs, valid_length)
        self.reset()
        F, axis = namespace(inputs), layout.find("T")
        inputs = as_sequence(F, inputs, axis)
        states = begin_states(self, F, begin_state, inputs, layout)
        if self.drop_inputs:
            inputs = F.Dropout(inputs, p=self.drop_inputs, axes=(axis,))
        with self._base_in_use() as cell:
            outputs, states = cell.unroll(length, inputs, states, layout, True, valid_length)
        if self.drop_outputs:
            outputs = F.Dropout(outputs, p=self.drop_outputs, axes=(axis,))
        return arranged(F, outputs, length, axis, merge_outputs), states
