"""Cells that modify another cell's outputs or states."""

from collections.abc import Callable, Sequence
from typing import Any

from opforge import symbol as sym

from .base import Arrays, BaseRNNCell, StateInfo
from .fused import FusedRNNCell
from .parameters import RNNParams
from .sequences import arranged
from .stacks import BidirectionalCell

__all__ = ["ModifierCell", "ResidualCell", "ZoneoutCell"]


class ModifierCell(BaseRNNCell):
    """Base of cells that modify another cell, which must no longer be called directly.

    Parameters
    ----------
    base_cell : BaseRNNCell
    """

    def __init__(self, base_cell: BaseRNNCell) -> None:
        super().__init__()
        base_cell._modified = True
        self.base_cell = base_cell

    @property
    def params(self) -> RNNParams:
        """The base cell's variables."""
        self._own_params = False
        return self.base_cell.params

    @property
    def state_info(self) -> StateInfo:
        """Shape and layout of each state of the base cell."""
        return self.base_cell.state_info

    def begin_state(self, func: Callable[..., Any] = sym.zeros, **kwargs: Any) -> list[Any]:
        """Return the base cell's initial states; `init_sym` is an alias of `func`."""
        self._expect_unmodified()
        self.base_cell._modified = False
        try:
            return self.base_cell.begin_state(kwargs.pop("init_sym", func), **kwargs)
        finally:
            self.base_cell._modified = True

    def unpack_weights(self, args: Arrays) -> Arrays:
        """Return a copy of `args` with the base cell's weights split by gate."""
        return self.base_cell.unpack_weights(args)

    def pack_weights(self, args: Arrays) -> Arrays:
        """Reverse `unpack_weights`."""
        return self.base_cell.pack_weights(args)


class ZoneoutCell(ModifierCell):
    """Cell that randomly keeps outputs and states of the previous step in training.

    If the output of the base cell is one of its new states, it remains so with equal fractions.

    Parameters
    ----------
    base_cell : BaseRNNCell
    zoneout_outputs, zoneout_states : float, default 0.0
        Fraction of elements that keep their previous value.
    """

    def __init__(
        self, base_cell: BaseRNNCell, zoneout_outputs: float = 0.0, zoneout_states: float = 0.0
    ) -> None:
        assert not isinstance(base_cell, FusedRNNCell), (
            "FusedRNNCell doesn't support zoneout. Please unfuse first."
        )
        assert not isinstance(base_cell, BidirectionalCell), (
            "BidirectionalCell doesn't support zoneout since it doesn't support step. "
            "Please add ZoneoutCell to the cells underneath instead."
        )
        super().__init__(base_cell)
        self.zoneout_outputs = zoneout_outputs
        self.zoneout_states = zoneout_states
        self.prev_output: Any = None

    def reset(self) -> None:
        """Restart the step counter and discard the previous output."""
        super().reset()
        self.prev_output = None

    def __call__(self, inputs: Any, states: Sequence[Any]) -> tuple[Any, list[Any]]:
        """Compose one step; see `BaseRNNCell`."""
        output, new_states = self.base_cell(inputs, states)
        next_states = new_states
        if self.zoneout_states:
            next_states = [
                _zoned_out(self.zoneout_states, new, old)
                for new, old in zip(new_states, states, strict=True)
            ]
        same = [at for at, state in enumerate(new_states) if state is output]
        if same and self.zoneout_outputs == self.zoneout_states:
            output = next_states[same[0]]
        elif self.zoneout_outputs:
            before = sym.zeros((0, 0)) if self.prev_output is None else self.prev_output
            output = _zoned_out(self.zoneout_outputs, output, before)
        self.prev_output = output
        return output, next_states


def _zoned_out(share: float, new: Any, old: Any) -> Any:
    """Return `new` with a random fraction of elements from `old`."""
    mask = sym.Dropout(sym.ones_like(new), p=share)
    return sym.where(mask, new, old)


class ResidualCell(ModifierCell):
    """Cell that adds the input to the base cell's output.

    Parameters
    ----------
    base_cell : BaseRNNCell
    """

    def __call__(self, inputs: Any, states: Sequence[Any]) -> tuple[Any, list[Any]]:
        """Compose one step; see `BaseRNNCell`."""
        output, states = self.base_cell(inputs, states)
        return _add_residual(output, inputs), states

    def _unroll(
        self, length: int, inputs: Any, begin_state: Any, layout: str, merge_outputs: bool | None
    ) -> tuple[Any, Any]:
        self.base_cell._modified = False
        try:
            outputs, states = self.base_cell.unroll(
                length, inputs, begin_state, layout, merge_outputs
            )
        finally:
            self.base_cell._modified = True
        merge = isinstance(outputs, sym.Symbol) if merge_outputs is None else merge_outputs
        inputs = arranged(inputs, length, layout.find("T"), merge)
        if merge:
            return _add_residual(outputs, inputs), states
        return [_add_residual(o, i) for o, i in zip(outputs, inputs, strict=True)], states


def _add_residual(output: Any, inputs: Any) -> Any:
    return sym.elemwise_add(output, inputs, name=f"{output.name}_plus_residual")
