"""`gluon.rnn.RNN`, `LSTM` and `GRU`: layers that run the operator RNN on complete sequences."""

from typing import Any

from .recurrent_layer import RecurrentLayer

__all__ = ["GRU", "LSTM", "RNN"]


class RNN(RecurrentLayer):
    """Multi-layer Elman recurrent network.

    Parameters
    ----------
    hidden_size : int
        Units of each layer.
    num_layers : int, default 1
    activation : {"relu", "tanh"}
    layout : {"TNC", "NTC"}
        Order of time, batch and features in inputs and outputs.
    dropout : float, default 0
        Dropout rate between layers, in training.
    bidirectional : bool, default False
        Whether to add layers that process sequences backward; outputs have the features of both
        directions side by side.
    i2h_weight_initializer, h2h_weight_initializer : Initializer or str, optional
        Initializers of the weights of input and state.
    i2h_bias_initializer, h2h_bias_initializer : Initializer or str, default "zeros"
        Initializers of their biases.
    input_size : int, default 0
        Features of the input; 0: taken from the first input.
    dtype : str or type, default "float32"
    **kwargs
        `use_sequence_length`: whether a call takes the length of each sequence; `prefix` and
        `params` as for `Block`.

    Examples
    --------
    >>> from opforge import gluon, nd
    >>> layer = gluon.rnn.RNN(8, 3)
    >>> layer.initialize()
    >>> layer(nd.ones((5, 2, 4))).shape
    (5, 2, 8)
    """

    def __init__(
        self,
        hidden_size: int,
        num_layers: int = 1,
        activation: str = "relu",
        layout: str = "TNC",
        dropout: float = 0,
        bidirectional: bool = False,
        i2h_weight_initializer: Any = None,
        h2h_weight_initializer: Any = None,
        i2h_bias_initializer: Any = "zeros",
        h2h_bias_initializer: Any = "zeros",
        input_size: int = 0,
        dtype: Any = "float32",
        **kwargs: Any,
    ) -> None:
        if activation not in ("relu", "tanh"):
            raise ValueError(f"RNN: activation is {activation!r}, expected 'relu' or 'tanh'")
        self._mode = f"rnn_{activation}"
        super().__init__(
            hidden_size, num_layers, layout, dropout, bidirectional, input_size,
            i2h_weight_initializer, h2h_weight_initializer, i2h_bias_initializer,
            h2h_bias_initializer, dtype, **kwargs,
        )  # fmt: skip


class LSTM(RecurrentLayer):
    """Multi-layer long short-term memory.

    Parameters
    ----------
    hidden_size : int
        Units of each layer's memory.
    num_layers, layout, dropout, bidirectional, input_size
        As for `RNN`.
    i2h_weight_initializer, h2h_weight_initializer, i2h_bias_initializer, h2h_bias_initializer
        As for `RNN`.
    projection_size : int, optional
        Features to which outputs are projected.
    h2r_weight_initializer : Initializer or str, optional
        Initializer of the projection.
    state_clip_min, state_clip_max : float, optional
        Bounds of the cell states, both or neither.
    state_clip_nan : bool, default False
        Whether clipping replaces NaN by the lower bound.
    dtype, **kwargs
        As for `RNN`.

    Examples
    --------
    >>> from opforge import gluon, nd
    >>> layer = gluon.rnn.LSTM(8, layout="NTC")
    >>> layer.initialize()
    >>> output, (h, c) = layer(nd.ones((2, 5, 4)), layer.begin_state(2))
    >>> output.shape, h.shape, c.shape
    ((2, 5, 8), (1, 2, 8), (1, 2, 8))
    """

    _mode = "lstm"

    def __init__(
        self,
        hidden_size: int,
        num_layers: int = 1,
        layout: str = "TNC",
        dropout: float = 0,
        bidirectional: bool = False,
        input_size: int = 0,
        i2h_weight_initializer: Any = None,
        h2h_weight_initializer: Any = None,
        i2h_bias_initializer: Any = "zeros",
        h2h_bias_initializer: Any = "zeros",
        projection_size: int | None = None,
        h2r_weight_initializer: Any = None,
        state_clip_min: float | None = None,
        state_clip_max: float | None = None,
        state_clip_nan: bool = False,
        dtype: Any = "float32",
        **kwargs: Any,
    ) -> None:
        self._projection_size = projection_size or None
        self._projection_initializer = h2r_weight_initializer
        self._clipping = {
            "lstm_state_clip_min": state_clip_min,
            "lstm_state_clip_max": state_clip_max,
            "lstm_state_clip_nan": state_clip_nan,
        }
        super().__init__(
            hidden_size, num_layers, layout, dropout, bidirectional, input_size,
            i2h_weight_initializer, h2h_weight_initializer, i2h_bias_initializer,
            h2h_bias_initializer, dtype, **kwargs,
        )  # fmt: skip


class GRU(RecurrentLayer):
    """Multi-layer gated recurrent units, with the reset gate after the product as in cuDNN.

    Parameters
    ----------
    hidden_size, num_layers, layout, dropout, bidirectional, input_size
        As for `RNN`.
    i2h_weight_initializer, h2h_weight_initializer, i2h_bias_initializer, h2h_bias_initializer
        As for `RNN`.
    dtype, use_sequence_length, **kwargs
        As for `RNN`.

    Examples
    --------
    >>> from opforge import nd
    >>> from opforge.gluon import rnn
    >>> layer = rnn.GRU(5, num_layers=2)
    >>> layer.initialize()
    >>> output, state = layer(nd.ones((7, 2, 3)), layer.begin_state(batch_size=2))
    >>> output.shape, state[0].shape
    ((7, 2, 5), (2, 2, 5))
    """

    _mode = "gru"
