"""`RNNCell`, `LSTMCell` and `GRUCell`."""

from collections.abc import Sequence
from typing import Any

from opforge import initializer
from opforge import symbol as sym
from opforge.initializer.packed_rnn import GATES

from .base import BaseRNNCell, StateInfo
from .parameters import RNNParams

__all__ = ["GRUCell", "LSTMCell", "RNNCell", "gru_step", "lstm_step"]


class _DenseCell(BaseRNNCell):
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
        """Shape and layout of each state; the batch's size is 0."""
        return [{"shape": (0, self._num_hidden), "__layout__": "NC"}]

    def _products(self, inputs: Any, state: Any, name: str) -> tuple[Any, Any]:
        """Return all gates' products with the input, and with the state."""
        size = self._num_hidden * len(self._gate_names)
        return (
            sym.FullyConnected(inputs, self._iW, self._iB, num_hidden=size, name=f"{name}i2h"),
            sym.FullyConnected(state, self._hW, self._hB, num_hidden=size, name=f"{name}h2h"),
        )


class RNNCell(_DenseCell):
    """Elman's cell: the activation of a dense layer of input and state.

    Parameters
    ----------
    num_hidden : int
    activation : str or callable, default "tanh"
        For the operator Activation, or a function of a symbol.
    prefix : str
    params : RNNParams, optional
        As for `BaseRNNCell`.

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

    @property
    def _gate_names(self) -> Sequence[str]:
        return GATES["rnn_tanh"]

    def __call__(self, inputs: Any, states: Sequence[Any]) -> tuple[Any, list[Any]]:
        """Compose one step; see `BaseRNNCell`."""
        name = self._next_name()
        i2h, h2h = self._products(inputs, states[0], name)
        output = self._get_activation(i2h + h2h, self._activation, name=f"{name}out")
        return output, [output]


class LSTMCell(_DenseCell):
    """Long short-term memory.

    Parameters
    ----------
    num_hidden : int
    prefix : str
    params : RNNParams, optional
        As for `BaseRNNCell`.
    forget_bias : float, default 1.0
        What the bias of the forget gate is initialized to.
    """

    def __init__(
        self,
        num_hidden: int,
        prefix: str = "lstm_",
        params: RNNParams | None = None,
        forget_bias: float = 1.0,
    ) -> None:
        super().__init__(num_hidden, prefix, params, initializer.LSTMBias(forget_bias))

    @property
    def state_info(self) -> StateInfo:
        """Shape and layout of each state; the batch's size is 0."""
        return [*super().state_info, *super().state_info]

    @property
    def _gate_names(self) -> Sequence[str]:
        return GATES["lstm"]

    def __call__(self, inputs: Any, states: Sequence[Any]) -> tuple[Any, list[Any]]:
        """Compose one step; see `BaseRNNCell`."""
        name = self._next_name()
        i2h, h2h = self._products(inputs, states[0], name)
        gates = sym.SliceChannel(i2h + h2h, num_outputs=4, name=f"{name}slice")
        return lstm_step(self, gates, states[1], "tanh", name)


class GRUCell(_DenseCell):
    """Gated recurrent unit; the reset gate is applied after the product with the state.

    Parameters
    ----------
    num_hidden : int
    prefix : str
    params : RNNParams, optional
        As for `BaseRNNCell`.
    """

    def __init__(
        self, num_hidden: int, prefix: str = "gru_", params: RNNParams | None = None
    ) -> None:
        super().__init__(num_hidden, prefix, params)

    @property
    def _gate_names(self) -> Sequence[str]:
        return GATES["gru"]

    def __call__(self, inputs: Any, states: Sequence[Any]) -> tuple[Any, list[Any]]:
        """Compose one step; see `BaseRNNCell`."""
        name = self._next_name()
        i2h, h2h = self._products(inputs, states[0], f"{name}_")
        return gru_step(self, i2h, h2h, states[0], "tanh", 1, name)


def lstm_step(
    cell: BaseRNNCell, gates: Any, memory: Any, activation: Any, name: str
) -> tuple[Any, list[Any]]:
    """Compose what follows the products of an LSTM's step.

    Parameters
    ----------
    cell : BaseRNNCell
        Applies the activation.
    gates : Symbol
        Four outputs: input, forget, candidate, output.
    memory : Symbol
        The cell state before.
    activation : str or callable
    name : str
        What the names of nodes begin with.
    """
    in_gate = sym.Activation(gates[0], act_type="sigmoid", name=f"{name}i")
    forget_gate = sym.Activation(gates[1], act_type="sigmoid", name=f"{name}f")
    candidate = cell._get_activation(gates[2], activation, name=f"{name}c")
    out_gate = sym.Activation(gates[3], act_type="sigmoid", name=f"{name}o")
    next_c = sym.elemwise_add(forget_gate * memory, in_gate * candidate, name=f"{name}state")
    shown = cell._get_activation(next_c, activation)
    next_h = sym.elemwise_mul(out_gate, shown, name=f"{name}out")
    return next_h, [next_h, next_c]


def gru_step(
    cell: BaseRNNCell, i2h: Any, h2h: Any, state: Any, activation: Any, axis: int, name: str
) -> tuple[Any, list[Any]]:
    """Compose what follows the products of a GRU's step; gates lie side by side on `axis`."""
    i2h_r, i2h_z, i2h = sym.SliceChannel(i2h, num_outputs=3, axis=axis, name=f"{name}_i2h_slice")
    h2h_r, h2h_z, h2h = sym.SliceChannel(h2h, num_outputs=3, axis=axis, name=f"{name}_h2h_slice")
    reset = sym.Activation(i2h_r + h2h_r, act_type="sigmoid", name=f"{name}_r_act")
    update = sym.Activation(i2h_z + h2h_z, act_type="sigmoid", name=f"{name}_z_act")
    candidate = cell._get_activation(i2h + reset * h2h, activation, name=f"{name}_h_act")
    output = sym.elemwise_add((1.0 - update) * candidate, update * state, name=f"{name}out")
    return output, [output]
