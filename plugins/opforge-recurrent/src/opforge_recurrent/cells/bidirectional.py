"""`BidirectionalCell`: two cells on one sequence, one from its beginning and one from its end."""

from collections.abc import Callable
from typing import Any

from opforge.plugin_api import F as nd

from .base import HybridRecurrentCell, StateInfo
from .sequences import as_sequence, as_steps, begin_states, is_merged, namespace, reversed_steps

__all__ = ["BidirectionalCell"]


class BidirectionalCell(HybridRecurrentCell):
    """Two cells on one sequence; the output has both cells' features side by side.

    Parameters
    ----------
    l_cell, r_cell : HybridRecurrentCell
        The one that goes forward, and the one that goes backward.
    output_prefix : str, default "bi_"
        Put before the names of outputs.

    Examples
    --------
    >>> from opforge import gluon, nd
    >>> cell = gluon.rnn.BidirectionalCell(gluon.rnn.GRUCell(4), gluon.rnn.GRUCell(3))
    >>> cell.initialize()
    >>> cell.unroll(5, nd.ones((2, 5, 6)), merge_outputs=True)[0].shape
    (2, 5, 7)
    """

    def __init__(
        self,
        l_cell: HybridRecurrentCell,
        r_cell: HybridRecurrentCell,
        output_prefix: str = "bi_",
    ) -> None:
        super().__init__(prefix="", params=None)
        self.register_child(l_cell, "l_cell")
        self.register_child(r_cell, "r_cell")
        self._output_prefix = output_prefix

    @property
    def _cells(self) -> tuple[Any, Any]:
        return self._children["l_cell"], self._children["r_cell"]

    def __call__(self, inputs: Any, states: Any) -> Any:
        """Refuse: a step of the backward cell needs the sequence's end."""
        raise NotImplementedError("Bidirectional cannot be stepped. Please use unroll")

    def __repr__(self) -> str:
        forward, backward = self._cells
        return f"{type(self).__name__}(forward={forward}, backward={backward})"

    def state_info(self, batch_size: int = 0) -> StateInfo:
        """Return shapes and layouts of both cells' states."""
        return [info for cell in self._cells for info in cell.state_info(batch_size)]

    def begin_state(
        self, batch_size: int = 0, func: Callable[..., Any] = nd.zeros, **kwargs: Any
    ) -> list[Any]:
        """Return both cells' states to begin with; see `RecurrentCell`."""
        self._expect_unmodified()
        return [
            state
            for cell in self._cells
            for state in cell.begin_state(batch_size=batch_size, func=func, **kwargs)
        ]

    def unroll(
        self,
        length: int,
        inputs: Any,
        begin_state: Any = None,
        layout: str = "NTC",
        merge_outputs: bool | None = None,
        valid_length: Any = None,
    ) -> tuple[Any, list[Any]]:
        """Run all steps of both cells; see `RecurrentCell`."""
        self.reset()
        F, axis = namespace(inputs), layout.find("T")
        steps = as_steps(F, inputs, length, axis)
        states = begin_states(self, F, begin_state, steps, layout)
        l_cell, r_cell = self._cells
        n_left = len(l_cell.state_info())
        l_outputs, l_states = l_cell.unroll(
            length, steps, states[:n_left], layout, merge_outputs, valid_length
        )
        r_outputs, r_states = r_cell.unroll(
            length,
            reversed_steps(F, steps, valid_length),
            states[n_left:],
            layout,
            False,
            valid_length,
        )
        r_outputs = reversed_steps(F, r_outputs, valid_length)
        return self._joined(F, l_outputs, r_outputs, length, axis, merge_outputs), [
            *l_states,
            *r_states,
        ]

    def _joined(
        self, F: Any, left: Any, right: Any, length: int, axis: int, merge: bool | None
    ) -> Any:
        """Return both cells' outputs side by side."""
        prefix = self._output_prefix
        if is_merged(left) if merge is None else merge:
            merged = (as_sequence(F, outputs, axis) for outputs in (left, right))
            return F.concat(*merged, dim=2, name=f"{prefix}out")
        pairs = zip(as_steps(F, left, length, axis), right, strict=True)
        return [F.concat(*pair, dim=1, name=f"{prefix}t{at}") for at, pair in enumerate(pairs)]
