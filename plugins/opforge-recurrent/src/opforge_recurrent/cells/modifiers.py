"""Cells that change another cell's outputs or states."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from opforge.plugin_api import F as nd

from .base import HybridRecurrentCell, StateInfo
from .bidirectional import BidirectionalCell
from .sequences import arranged, is_merged, masked, namespace

__all__ = ["ModifierCell", "RememberingCell", "ResidualCell", "ZoneoutCell"]


class ModifierCell(HybridRecurrentCell):
    """Base of cells that change another's steps; the other is no longer to be called itself.

    Parameters
    ----------
    base_cell : HybridRecurrentCell
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
        """The base cell's own parameters."""
        return self.base_cell.params

    @contextmanager
    def _base_in_use(self) -> Iterator[Any]:
        """Yield the base cell, which may be called in the ``with`` block."""
        self.base_cell._modified = False
        try:
            yield self.base_cell
        finally:
            self.base_cell._modified = True

    def state_info(self, batch_size: int = 0) -> StateInfo:
        """Return shape and layout of each state of the base cell."""
        found: StateInfo = self.base_cell.state_info(batch_size)
        return found

    def begin_state(
        self, batch_size: int = 0, func: Callable[..., Any] = nd.zeros, **kwargs: Any
    ) -> list[Any]:
        """Return the base cell's states to begin with; see `RecurrentCell`."""
        self._expect_unmodified()
        with self._base_in_use() as cell:
            states: list[Any] = cell.begin_state(batch_size=batch_size, func=func, **kwargs)
        return states


class RememberingCell(ModifierCell):
    """Base of modifiers that keep something from step to step besides the states.

    A graph of one step would not keep it: see `HybridRecurrentCell.hybridize`. In a graph of a
    whole sequence, that of a block which unrolls it, it is part of the graph.
    """

    def _remembers(self) -> bool:
        return True


class ZoneoutCell(RememberingCell):
    """Keep parts of the outputs and states of the step before while training.

    Parameters
    ----------
    base_cell : HybridRecurrentCell
    zoneout_outputs, zoneout_states : float, default 0.0
        Share of elements that stay as they were.
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
        """Count steps anew and forget the output before."""
        super().reset()
        self._prev_output: Any = None

    def hybrid_forward(self, F: Any, x: Any, states: Any) -> tuple[Any, Any]:
        """Return the base cell's step, some of it as before."""
        output, next_states = self.base_cell(x, states)
        if self.zoneout_outputs:
            before = F.zeros_like(output) if self._prev_output is None else self._prev_output
            output = _zoned_out(F, self.zoneout_outputs, output, before)
        if self.zoneout_states:
            next_states = [
                _zoned_out(F, self.zoneout_states, new, old)
                for new, old in zip(next_states, states, strict=True)
            ]
        self._prev_output = output
        return output, next_states


def _zoned_out(F: Any, share: float, new: Any, old: Any) -> Any:
    """Return `new` with a share of elements from `old`."""
    mask = F.Dropout(F.ones_like(new), p=share)
    return F.where(mask, new, old)


class ResidualCell(ModifierCell):
    """Add the input to the base cell's output.

    Parameters
    ----------
    base_cell : HybridRecurrentCell
    """

    def hybrid_forward(self, F: Any, x: Any, states: Any) -> tuple[Any, Any]:
        """Return the base cell's step with the input added to the output."""
        output, states = self.base_cell(x, states)
        return F.elemwise_add(output, x, name=f"t{self._counter}_fwd"), states

    def unroll(
        self,
        length: int,
        inputs: Any,
        begin_state: Any = None,
        layout: str = "NTC",
        merge_outputs: bool | None = None,
        valid_length: Any = None,
    ) -> tuple[Any, Any]:
        """Run all steps of the base cell and add the inputs; see `RecurrentCell`."""
        self.reset()
        F, axis = namespace(inputs), layout.find("T")
        with self._base_in_use() as cell:
            outputs, states = cell.unroll(
                length, inputs, begin_state, layout, merge_outputs, valid_length
            )
        merge = is_merged(outputs) if merge_outputs is None else merge_outputs
        if valid_length is not None:
            inputs = masked(F, inputs, valid_length, axis)
        inputs = arranged(F, inputs, length, axis, merge)
        if merge:
            return F.elemwise_add(outputs, inputs), states
        return [F.elemwise_add(o, i) for o, i in zip(outputs, inputs, strict=True)], states
