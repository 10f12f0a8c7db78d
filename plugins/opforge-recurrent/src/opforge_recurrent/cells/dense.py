"""`RNNCell`, `LSTMCell` and `GRUCell`: cells whose gates are dense layers."""

from typing import Any

from .base import HybridRecurrentCell, StateInfo, expect_activation

__all__ = ["DenseCell", "GRUCell", "LSTMCell", "RNNCell", "gru_step", "lstm_step"]


class DenseCell(HybridRecurrentCell):
    """Base class of cells that add a dense layer of the input and one of the state.

    Parameters
    ----------
    hidden_size : int
        Units of the output.
    i2h_weight_initializer, h2h_weight_initializer : Initializer or str, optional
        Initializers of the weights of input and state.
    i2h_bias_initializer, h2h_bias_initializer : Initializer or str, default "zeros"
        Initializers of their biases.
    input_size : int, default 0
        Features of the input; 0: taken from the first input.
    prefix : str, optional
    params : ParameterDict, optional
        As for `Block`.
    """

    #: Rows of the weights, in multiples of `hidden_size`.
    _n_gates = 1
    #: Number of states of `hidden_size`.
    _n_states = 1

    def __init__(
        self,
        hidden_size: int,
        i2h_weight_initializer: Any = None,
        h2h_weight_initializer: Any = None,
        i2h_bias_initializer: Any = "zeros",
        h2h_bias_initializer: Any = "zeros",
        input_size: int = 0,
        prefix: str | None = None,
        params: Any = None,
    ) -> None:
        super().__init__(prefix=prefix, params=params)
        self._hidden_size = hidden_size
        self._input_size = input_size
        rows = self._n_gates * hidden_size
        self.i2h_weight = self._parameter("i2h_weight", (rows, input_size), i2h_weight_initializer)
        self.h2h_weight = self._parameter(
            "h2h_weight", (rows, self._state_size()), h2h_weight_initializer
        )
        self._add_weights()
        self.i2h_bias = self._parameter("i2h_bias", (rows,), i2h_bias_initializer)
        self.h2h_bias = self._parameter("h2h_bias", (rows,), h2h_bias_initializer)

    def _parameter(self, name: str, shape: tuple[int, ...], init: Any) -> Any:
        return self.params.get(name, shape=shape, init=init, allow_deferred_init=True)

    def _add_weights(self) -> None:
        """Create weights besides those of input and state; as in MXNet, biases are listed last."""

    def _state_size(self) -> int:
        """Return the number of features of the output, which is the state of the next step."""
        return self._hidden_size

    def state_info(self, batch_size: int = 0) -> StateInfo:
        """Return the shape and layout of each state."""
        shape = (batch_size, self._hidden_size)
        return [{"shape": shape, "__layout__": "NC"} for _ in range(self._n_states)]

    def _products(self, F: Any, inputs: Any, state: Any, params: Any, name: str) -> Any:
        """Return the products of all gates with the input and with the state."""
        rows = self._n_gates * self._hidden_size
        return tuple(
            F.FullyConnected(
                data,
                params[f"{group}_weight"],
                params[f"{group}_bias"],
                num_hidden=rows,
                name=f"{name}{group}",
            )
            for group, data in (("i2h", inputs), ("h2h", state))
        )

    def _sizes(self) -> str:
        """Return the sizes that `repr` shows."""
        rows, columns = self.i2h_weight.shape
        return f"{columns or None} -> {rows}"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._sizes()})"


class RNNCell(DenseCell):
    """Elman cell: the activation of a dense layer of input and state.

    Parameters
    ----------
    hidden_size : int
    activation : str, Block or callable, default "tanh"
    **kwargs
        As for `LSTMCell`.

    Examples
    --------
    >>> from opforge import gluon, nd
    >>> cell = gluon.rnn.RNNCell(4)
    >>> cell.initialize()
    >>> output, states = cell(nd.ones((2, 3)), cell.begin_state(batch_size=2))
    >>> output.shape, [state.shape for state in states]
    ((2, 4), [(2, 4)])
    """

    def __init__(
        self,
        hidden_size: int,
        activation: Any = "tanh",
        i2h_weight_initializer: Any = None,
        h2h_weight_initializer: Any = None,
        i2h_bias_initializer: Any = "zeros",
        h2h_bias_initializer: Any = "zeros",
        input_size: int = 0,
        prefix: str | None = None,
        params: Any = None,
    ) -> None:
        super().__init__(
            hidden_size,
            i2h_weight_initializer,
            h2h_weight_initializer,
            i2h_bias_initializer,
            h2h_bias_initializer,
            input_size,
            prefix,
            params,
        )
        expect_activation(activation)
        self._activation = activation

    def _alias(self) -> str:
        return "rnn"

    def _sizes(self) -> str:
        return f"{super()._sizes()}, {self._activation}"

    def hybrid_forward(self, F: Any, inputs: Any, states: Any, **params: Any) -> Any:
        """Return the output, which is the next state too."""
        name = f"t{self._counter}_"
        i2h, h2h = self._products(F, inputs, states[0], params, name)
        total = F.elemwise_add(i2h, h2h, name=f"{name}plus0")
        output = self._get_activation(F, total, self._activation, name=f"{name}out")
        return output, [output]


class LSTMCell(DenseCell):
    """Long short-term memory.

    Parameters
    ----------
    hidden_size : int
        Units of the output.
    i2h_weight_initializer, h2h_weight_initializer : Initializer or str, optional
        Initializers of the weights of input and state.
    i2h_bias_initializer, h2h_bias_initializer : Initializer or str, default "zeros"
        Initializers of their biases; `init.LSTMBias` sets a forget bias.
    input_size : int, default 0
        Features of the input; 0: taken from the first input.
    prefix : str, optional
    params : ParameterDict, optional
        As for `Block`.
    activation : str, Block or callable, default "tanh"
        Activation of the candidate and of the output.
    recurrent_activation : str, Block or callable, default "sigmoid"
        Activation of the gates.

    Examples
    --------
    >>> from opforge import gluon, nd
    >>> cell = gluon.rnn.LSTMCell(4)
    >>> cell.initialize()
    >>> outputs, states = cell.unroll(5, nd.ones((2, 5, 3)), merge_outputs=True)
    >>> outputs.shape, [state.shape for state in states]
    ((2, 5, 4), [(2, 4), (2, 4)])
    """

    _n_gates = 4
    _n_states = 2

    def __init__(
        self,
        hidden_size: int,
        i2h_weight_initializer: Any = None,
        h2h_weight_initializer: Any = None,
        i2h_bias_initializer: Any = "zeros",
        h2h_bias_initializer: Any = "zeros",
        input_size: int = 0,
        prefix: str | None = None,
        params: Any = None,
        activation: Any = "tanh",
        recurrent_activation: Any = "sigmoid",
    ) -> None:
        super().__init__(
            hidden_size,
            i2h_weight_initializer,
            h2h_weight_initializer,
            i2h_bias_initializer,
            h2h_bias_initializer,
            input_size,
            prefix,
            params,
        )
        expect_activation(activation, recurrent_activation)
        self._activation = activation
        self._recurrent_activation = recurrent_activation

    def _alias(self) -> str:
        return "lstm"

    def hybrid_forward(self, F: Any, inputs: Any, states: Any, **params: Any) -> Any:
        """Return the output, and the next states: the output and the cell state."""
        name = f"t{self._counter}_"
        i2h, h2h = self._products(F, inputs, states[0], params, name)
        total = F.elemwise_add(i2h, h2h, name=f"{name}plus0")
        gates = F.SliceChannel(total, num_outputs=4, name=f"{name}slice")
        return lstm_step(
            self, F, gates, states[1], self._activation, self._recurrent_activation, name
        )


class GRUCell(DenseCell):
    """Gated recurrent unit; the reset gate is applied after the product with the state.

    Parameters
    ----------
    hidden_size : int
    **kwargs
        As for `LSTMCell`, without activations.

    Examples
    --------
    >>> from opforge import nd
    >>> from opforge.gluon import rnn
    >>> cell = rnn.GRUCell(5)
    >>> cell.initialize()
    >>> output, states = cell(nd.ones((2, 3)), cell.begin_state(batch_size=2))
    >>> output.shape, len(states)
    ((2, 5), 1)
    """

    _n_gates = 3

    def _alias(self) -> str:
        return "gru"

    def hybrid_forward(self, F: Any, inputs: Any, states: Any, **params: Any) -> Any:
        """Return the output, which is the next state too."""
        name = f"t{self._counter}_"
        i2h, h2h = self._products(F, inputs, states[0], params, name)
        return gru_step(self, F, i2h, h2h, states[0], "tanh", 1, name)


def lstm_step(
    cell: HybridRecurrentCell,
    F: Any,
    gates: Any,
    memory: Any,
    activation: Any,
    recurrent_activation: Any,
    name: str,
) -> tuple[Any, list[Any]]:
    """Complete a step of an LSTM after its products.

    Parameters
    ----------
    cell : HybridRecurrentCell
        Cell that applies the activations.
    F : module
    gates : list of NDArray or of Symbol
        Input, forget, candidate and output.
    memory : NDArray or Symbol
        The previous cell state.
    activation, recurrent_activation : str, Block or callable
    name : str
        Prefix of the names of nodes.
    """
    activate = cell._get_activation
    in_gate = activate(F, gates[0], recurrent_activation, name=f"{name}i")
    forget_gate = activate(F, gates[1], recurrent_activation, name=f"{name}f")
    candidate = activate(F, gates[2], activation, name=f"{name}c")
    out_gate = activate(F, gates[3], recurrent_activation, name=f"{name}o")
    next_c = F.elemwise_add(
        F.elemwise_mul(forget_gate, memory, name=f"{name}mul0"),
        F.elemwise_mul(in_gate, candidate, name=f"{name}mul1"),
        name=f"{name}state",
    )
    activated = activate(F, next_c, activation, name=f"{name}activation0")
    next_h = F.elemwise_mul(out_gate, activated, name=f"{name}out")
    return next_h, [next_h, next_c]


def gru_step(
    cell: HybridRecurrentCell,
    F: Any,
    i2h: Any,
    h2h: Any,
    state: Any,
    activation: Any,
    axis: int,
    name: str,
) -> tuple[Any, list[Any]]:
    """Complete a step of a GRU after its products, with the gates side by side on `axis`."""
    activate = cell._get_activation
    i2h_r, i2h_z, i2h = F.SliceChannel(i2h, num_outputs=3, axis=axis, name=f"{name}i2h_slice")
    h2h_r, h2h_z, h2h = F.SliceChannel(h2h, num_outputs=3, axis=axis, name=f"{name}h2h_slice")
    reset = activate(
        F, F.elemwise_add(i2h_r, h2h_r, name=f"{name}plus0"), "sigmoid", name=f"{name}r_act"
    )
    update = activate(
        F, F.elemwise_add(i2h_z, h2h_z, name=f"{name}plus1"), "sigmoid", name=f"{name}z_act"
    )
    offered = F.elemwise_mul(reset, h2h, name=f"{name}mul0")
    candidate = activate(
        F, F.elemwise_add(i2h, offered, name=f"{name}plus2"), activation, name=f"{name}h_act"
    )
    ones = F.ones_like(update, name=f"{name}ones_like0")
    kept = F.elemwise_sub(ones, update, name=f"{name}minus0")
    output = F.elemwise_add(
        F.elemwise_mul(kept, candidate, name=f"{name}mul1"),
        F.elemwise_mul(update, state, name=f"{name}mul20"),
        name=f"{name}out",
    )
    return output, [output]
