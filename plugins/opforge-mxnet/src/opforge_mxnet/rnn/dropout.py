"""`DropoutCell`: dropout between the cells of a stack."""

from collections.abc import Sequence
from numbers import Number
from typing import Any

from opforge import symbol as sym

from .base import BaseRNNCell, StateInfo
from .parameters import RNNParams
from .sequences import arranged

__all__ = ["DropoutCell"]


class DropoutCell(BaseRNNCell):
    """Dropout between the cells of a stack.

    Parameters
    ----------
    dropout : float
        Fraction of the input to set to 0 in training.
    prefix : str
    params : RNNParams, optional
        See `BaseRNNCell`.
    """

    def __init__(
        self, dropout: float, prefix: str = "dropout_", params: RNNParams | None = None
    ) -> None:
        super().__init__(prefix, params)
        assert isinstance(dropout, Number), "dropout probability must be a number"
        self.dropout = dropout

    @property
    def state_info(self) -> StateInfo:
        """Empty list: the cell has no states."""
        return []

    def __call__(self, inputs: Any, states: Sequence[Any]) -> tuple[Any, list[Any]]:
        """Compose one step; see `BaseRNNCell`."""
        if self.dropout > 0:
            inputs = sym.Dropout(inputs, p=self.dropout)
        return inputs, list(states)

    def _unroll(
        self, length: int, inputs: Any, begin_state: Any, layout: str, merge_outputs: bool | None
    ) -> tuple[Any, Any]:
        inputs = arranged(inputs, length, layout.find("T"), merge_outputs)
        if isinstance(inputs, sym.Symbol):
            return self(inputs, [])
        return super()._unroll(length, inputs, begin_state, layout, merge_outputs)
