"""`LSTMPCell`, an LSTM with a projected output."""

from typing import Any

from .base import StateInfo
from .dense import DenseCell, lstm_step

__all__ = ["LSTMPCell"]


class LSTMPCell(DenseCell):
    """LSTM with a projection of its output (Sak et al., 2014).

    Parameters
    ----------
    hidden_size : int
        Units of the cell state.
    projection_size : int
        Features of the output and of the state.
    i2h_weight_initializer, h2h_weight_initializer, h2r_weight_initializer : optional
        Initializers of the weights of input, state and projection.
    i2h_bias_initializer, h2h_bias_initializer : Initializer or str, default "zeros"
    input_size : int, default 0
        Features of the input; 0: taken from the first input.
    prefix : str, optional
    params : ParameterDict, optional
        As for `Block`.

    Examples
    --------
    >>> from opforge import nd
    >>> from opforge.gluon import contrib
    >>> cell = contrib.rnn.LSTMPCell(5, projection_size=2)
    >>> cell.initialize()
    >>> output, states = cell(nd.ones((4, 3)), cell.begin_state(batch_size=4))
    >>> output.shape, [state.shape for state in states]
    ((4, 2), [(4, 2), (4, 5)])
    """

    _n_gates = 4

    def __init__(
        self,
        hidden_size: int,
        projection_size: int,
        i2h_weight_initializer: Any = None,
        h2h_weight_initializer: Any = None,
        h2r_weight_initializer: Any = None,
        i2h_bias_initializer: Any = "zeros",
        h2h_bias_initializer: Any = "zeros",
        input_size: int = 0,
        prefix: str | None = None,
        params: Any = None,
    ) -> None:
        self._projection_size = projection_size
        self._projection_initializer = h2r_weight_initializer
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

    def _add_weights(self) -> None:
        self.h2r_weight = self._parameter(
            "h2r_weight", (self._projection_size, self._hidden_size), self._projection_initializer
        )

    def _alias(self) -> str:
        return "lstmp"

    def _state_size(self) -> int:
        return self._projection_size

    def _sizes(self) -> str:
        return f"{super()._sizes()} -> {self._projection_size}"

    def state_info(self, batch_size: int = 0) -> StateInfo:
        """Return the shape and layout of the projected output and of the cell state."""
        sizes = (self._projection_size, self._hidden_size)
        return [{"shape": (batch_size, size), "__layout__": "NC"} for size in sizes]

    def hybrid_forward(self, F: Any, inputs: Any, states: Any, **params: Any) -> Any:
        """Return the output, and the next states: the output and the cell state."""
        name = f"t{self._counter}_"
        weight = params.pop("h2r_weight")
        i2h, h2h = self._products(F, inputs, states[0], params, name)
        total = F.elemwise_add(i2h, h2h, name=f"{name}plus0")
        gates = F.SliceChannel(total, num_outputs=4, name=f"{name}slice")
        hidden, (_, memory) = lstm_step(
            self, F, gates, states[1], "tanh", "sigmoid", f"{name}unprojected_"
        )
        output = F.FullyConnected(
            hidden, weight, no_bias=True, num_hidden=self._projection_size, name=f"{name}out"
        )
        return output, [output, memory]
