"""`DropoutCell`: dropout between the cells of a stack."""

from numbers import Number
from typing import Any

from .base import HybridRecurrentCell, StateInfo
from .sequences import arranged, is_merged, namespace

__all__ = ["DropoutCell"]


class DropoutCell(HybridRecurrentCell):
    """Dropout of the input; there are no states.

    Parameters
    ----------
    rate : float
        Share of the input that becomes 0 while training.
    axes : tuple of int, default ()
        Axes along which one mask is used.
    prefix : str, optional
    params : ParameterDict, optional
        As for `Block`.
    """

    def __init__(
        self, rate: float, axes: Any = (), prefix: str | None = None, params: Any = None
    ) -> None:
        super().__init__(prefix=prefix, params=params)
        assert isinstance(rate, Number), "rate must be a number"
        self._rate = rate
        self._axes = axes

    def _alias(self) -> str:
        return "dropout"

    def __repr__(self) -> str:
        return f"{type(self).__name__}(rate={self._rate}, axes={self._axes})"

    def state_info(self, batch_size: int = 0) -> StateInfo:
        """There are no states."""
        return []

    def hybrid_forward(self, F: Any, x: Any, states: Any) -> tuple[Any, Any]:
        """Return the input, some of it 0, and `states`."""
        if self._rate > 0:
            x = F.Dropout(x, p=self._rate, axes=self._axes, name=f"t{self._counter}_fwd")
        return x, states

    def unroll(
        self,
        length: int,
        inputs: Any,
        begin_state: Any = None,
        layout: str = "NTC",
        merge_outputs: bool | None = None,
        valid_length: Any = None,
    ) -> tuple[Any, Any]:
        """Apply dropout to the whole sequence where it is one array; see `RecurrentCell`."""
        self.reset()
        F = namespace(inputs)
        inputs = arranged(F, inputs, length, layout.find("T"), merge_outputs)
        if is_merged(inputs):
            return self.hybrid_forward(F, inputs, begin_state or [])
        return super().unroll(length, inputs, begin_state, layout, merge_outputs)
