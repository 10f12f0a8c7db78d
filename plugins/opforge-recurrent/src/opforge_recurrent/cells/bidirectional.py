"""`BidirectionalCell`: two cells on one sequence, one from its beginning and one from its end."""

from typing import Any

from .base import HybridRecurrentCell
from .compound import CompoundCell
from .sequences import as_sequence, as_steps, begin_states, is_merged, namespace, reversed_steps

__all__ = ["BidirectionalCell"]


class BidirectionalCell(CompoundCell, HybridRecurrentCell):
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

    def __call__(self, inputs: Any, states: Any) -> Any:
        """Refuse: a step of the backward cell needs the sequence's end."""
        raise NotImplementedError("Bidirectional cannot be stepped. Please use unroll")

    def __repr__(self) -> str:
        forward, backward = self._cells
        return f"{type(self).__name__}(forward={forward}, backward={backward})"

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
        (l_cell, l_begin), (r_cell, r_begin) = self._with_states(states)
        l_outputs, l_states = l_cell.unroll(
            length, steps, l_begin, layout, merge_outputs, valid_length
        )
        backward = reversed_steps(F, steps, valid_length)
        r_outputs, r_states = r_cell.unroll(length, backward, r_begin, layout, False, valid_length)
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
