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
        Share of the input that becomes 0 while training.
    prefix : str
    params : RNNParams, optional
        As for `BaseRNNCell`.
    """

    def __init__(
        self, dropout: float, prefix: str = "dropout_", params: RNNParams | None = None
    ) -> None:
        super().__init__(prefix, params)
        assert isinstance(dropout, Number), "dropout probability must be a number"
        self.dropout = dropout

    @property
    def state_info(self) -> StateInfo:
        """There are no states."""
        return []

    def __call__(self, inputs: Any, states: Sequence[Any]) -> tuple[Any, list[Any]]:
        """Compose one step; see `BaseRNNCell`."""
        if self.dropout > 0:
            inputs = sym.Dropout(inputs, p=self.dropout)
        return inputs, list(states)

    def unroll(
        self,
        length: int,
        inputs: Any,
        begin_state: Any = None,
        layout: str = "NTC",
        merge_outputs: bool | None = None,
    ) -> tuple[Any, list[Any]]:
        """Apply dropout to the whole sequence where it is one symbol; see `BaseRNNCell`."""
        self.reset()
        inputs = arranged(inputs, length, layout.find("T"), merge_outputs)
        if isinstance(inputs, sym.Symbol):
            return self(inputs, [])
        return super().unroll(length, inputs, begin_state, layout, merge_outputs)
