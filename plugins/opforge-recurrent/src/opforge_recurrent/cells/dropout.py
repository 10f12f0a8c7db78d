"""`DropoutCell`, for dropout between the cells of a stack."""

from numbers import Number
from typing import Any

from .base import HybridRecurrentCell, StateInfo
from .sequences import arranged, is_merged, namespace

__all__ = ["DropoutCell"]


class DropoutCell(HybridRecurrentCell):
    """Dropout of the input, without states.

    Parameters
    ----------
    rate : float
        Fraction of the input set to 0 in training.
    axes : tuple of int, default ()
        Axes along which the mask is shared.
    prefix : str, optional
    params : ParameterDict, optional
        As for `Block`.

    Examples
    --------
    >>> from opforge import autograd, nd
    >>> from opforge.gluon import rnn
    >>> cell = rnn.DropoutCell(0.5)
    >>> with autograd.train_mode():
    ...     output, states = cell(nd.ones((2, 3)), [])
    >>> states, cell(nd.ones((1, 3)), [])[0].asnumpy().tolist()
    ([], [[1.0, 1.0, 1.0]])
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
        """Return an empty list, as there are no states."""
        return []

    def hybrid_forward(self, F: Any, inputs: Any, states: Any) -> tuple[Any, Any]:
        """Return the input after dropout, and `states`."""
        if self._rate > 0:
            inputs = F.Dropout(inputs, p=self._rate, axes=self._axes, name=f"t{self._counter}_fwd")
        return inputs, states

    def _unroll(
        self, length: int, inputs: Any, begin: Any, layout: str, merge: bool | None, lengths: Any
    ) -> tuple[Any, Any]:
        """Apply dropout to the complete sequence if it is one array."""
        F = namespace(inputs)
        inputs = arranged(F, inputs, length, layout.find("T"), merge)
        if is_merged(inputs):
            return self.hybrid_forward(F, inputs, begin or [])
        return super()._unroll(length, inputs, begin, layout, merge, None)
