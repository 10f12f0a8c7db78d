"""`BidirectionalCell`: two cells that process one sequence forward and backward."""

from typing import Any

from .base import HybridRecurrentCell
from .compound import CompoundCell
from .sequences import as_sequence, as_steps, begin_states, is_merged, namespace, reversed_steps

__all__ = ["BidirectionalCell"]


class BidirectionalCell(CompoundCell, HybridRecurrentCell):
    """Two cells on one sequence, with the features of both side by side in the output.

    Parameters
    ----------
    l_cell, r_cell : HybridRecurrentCell
        The forward and the backward cell.
    output_prefix : str, default "bi_"
        Prefix of the names of outputs.

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
        """Raise NotImplementedError, as the backward cell needs the end of the sequence first."""
        raise NotImplementedError("Bidirectional cannot be stepped. Please use unroll")

    def __repr__(self) -> str:
        forward, backward = self._cells
        return f"{type(self).__name__}(forward={forward}, backward={backward})"

    def _unroll(
        self, length: int, inputs: Any, begin: Any, layout: str, merge: bool | None, lengths: Any
    ) -> tuple[Any, list[Any]]:
        """Run all steps of both cells."""
        F, axis = namespace(inputs), layout.find("T")
        steps = as_steps(F, inputs, length, axis)
        states = begin_states(self, F, begin, steps, layout)
        (l_cell, l_begin), (r_cell, r_begin) = self._with_states(states)
        l_outputs, l_states = l_cell.unroll(length, steps, l_begin, layout, merge, lengths)
        backward = reversed_steps(F, steps, lengths)
        r_outputs, r_states = r_cell.unroll(length, backward, r_begin, layout, False, lengths)
        r_outputs = reversed_steps(F, r_outputs, lengths)
        return self._joined(F, l_outputs, r_outputs, length, axis, merge), [
            *l_states,
            *r_states,
        ]

    def _joined(
        self, F: Any, left: Any, right: Any, length: int, axis: int, merge: bool | None
    ) -> Any:
        """Concatenate the outputs of both cells."""
        prefix = self._output_prefix
        if is_merged(left) if merge is None else merge:
            merged = (as_sequence(F, outputs, axis) for outputs in (left, right))
            return F.concat(*merged, dim=2, name=f"{prefix}out")
        pairs = zip(as_steps(F, left, length, axis), right, strict=True)
        return [F.concat(*pair, dim=1, name=f"{prefix}t{at}") for at, pair in enumerate(pairs)]
