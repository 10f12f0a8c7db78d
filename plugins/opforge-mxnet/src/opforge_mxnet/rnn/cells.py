"""`RNNCell`, `LSTMCell` and `GRUCell`."""

from typing import Any

from opforge import initializer
from opforge import symbol as sym

from .base import StateInfo
from .gates import ElmanCell, GatedCell, GRUStepCell, LSTMStepCell
from .parameters import RNNParams

__all__ = ["GRUCell", "LSTMCell", "RNNCell"]


class _DenseCell(GatedCell):
    """A cell whose gates are dense layers of the input and of the state."""

    def __init__(
        self, num_hidden: int, prefix: str, params: RNNParams | None, i2h_bias_init: Any = None
    ) -> None:
        super().__init__(prefix, params)
        self._num_hidden = num_hidden
        self._iW = self._params.get("i2h_weight")
        self._iB = self._params.get("i2h_bias", init=i2h_bias_init)
        self._hW = self._params.get("h2h_weight")
        self._hB = self._params.get("h2h_bias")

    @property
    def state_info(self) -> StateInfo:
        """Shape and layout of each state; the batch size is 0."""
        return [{"shape": (0, self._num_hidden), "__layout__": "NC"}]

    def _products(self, inputs: Any, state: Any, name: str) -> tuple[Any, Any]:
        """Return all gates' products with the input, and with the state."""
        size = self._num_hidden * len(self._gate_names)
        return (
            sym.FullyConnected(inputs, self._iW, self._iB, num_hidden=size, name=f"{name}i2h"),
            sym.FullyConnected(state, self._hW, self._hB, num_hidden=size, name=f"{name}h2h"),
        )


class RNNCell(ElmanCell, _DenseCell):
    """Elman's cell: the activation of a dense layer of input and state.

    Parameters
    ----------
    num_hidden : int
    activation : str or callable, default "tanh"
        Type of the operator Activation, or a function of a symbol.
    prefix : str
    params : RNNParams, optional
        See `BaseRNNCell`.

    Examples
    --------
    >>> outputs, states = RNNCell(4).unroll(3, sym.var("data"), merge_outputs=True)
    >>> outputs.infer_shape(data=(2, 3, 5))[1]
    [(2, 3, 4)]
    """

    def __init__(
        self,
        num_hidden: int,
        activation: Any = "tanh",
        prefix: str = "rnn_",
        params: RNNParams | None = None,
    ) -> None:
        super().__init__(num_hidden, prefix, params)
        self._activation = activation


class LSTMCell(LSTMStepCell, _DenseCell):
    """Long short-term memory.

    Parameters
    ----------
    num_hidden : int
    prefix : str
    params : RNNParams, optional
        See `BaseRNNCell`.
    forget_bias : float, default 1.0
        Initial bias of the forget gate.
    """

    def __init__(
        self,
        num_hidden: int,
        prefix: str = "lstm_",
        params: RNNParams | None = None,
        forget_bias: float = 1.0,
    ) -> None:
        super().__init__(num_hidden, prefix, params, initializer.LSTMBias(forget_bias))


class GRUCell(GRUStepCell, _DenseCell):
    """Gated recurrent unit; the reset gate is applied after the product with the state.

    Parameters
    ----------
    num_hidden : int
    prefix : str
    params : RNNParams, optional
        See `BaseRNNCell`.
    """

    def __init__(
        self, num_hidden: int, prefix: str = "gru_", params: RNNParams | None = None
    ) -> None:
        super().__init__(num_hidden, prefix, params)

    def _products(self, inputs: Any, state: Any, name: str) -> tuple[Any, Any]:
        return super()._products(inputs, state, f"{name}_")  # MXNet's names have two underscores
