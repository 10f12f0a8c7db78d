"""`gluon.rnn.RNN`, `LSTM` and `GRU`: whole sequences by the operator RNN."""

from typing import Any

from .recurrent_layer import RecurrentLayer

__all__ = ["GRU", "LAYERS", "LSTM", "RNN"]


class RNN(RecurrentLayer):
    """Elman's recurrent network of several layers.

    Parameters
    ----------
    hidden_size : int
        Units of each layer.
    num_layers : int, default 1
    activation : {"relu", "tanh"}
    layout : {"TNC", "NTC"}
        Order of time, batch and features in inputs and outputs.
    dropout : float, default 0
        Between layers, while training.
    bidirectional : bool, default False
        Add layers that go backward; outputs have both features side by side.
    i2h_weight_initializer, h2h_weight_initializer : Initializer or str, optional
    i2h_bias_initializer, h2h_bias_initializer : Initializer or str, default "zeros"
        Of the weights and biases of input and state.
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
        super().__init__(
            f"rnn_{activation}",
            hidden_size,
            num_layers,
            layout,
            dropout,
            bidirectional,
            input_size,
            i2h_weight_initializer,
            h2h_weight_initializer,
            i2h_bias_initializer,
            h2h_bias_initializer,
            dtype,
            **kwargs,
        )


class LSTM(RecurrentLayer):
    """Long short-term memory of several layers.

    Parameters
    ----------
    hidden_size : int
        Units of each layer's memory.
    num_layers : int, default 1
    layout : {"TNC", "NTC"}
        Order of time, batch and features in inputs and outputs.
    dropout : float, default 0
        Between layers, while training.
    bidirectional : bool, default False
        Add layers that go backward; outputs have both features side by side.
    input_size : int, default 0
        Features of the input; 0: taken from the first input.
    i2h_weight_initializer, h2h_weight_initializer : Initializer or str, optional
    i2h_bias_initializer, h2h_bias_initializer : Initializer or str, default "zeros"
        Of the weights and biases of input and state.
    projection_size : int, optional
        Features to which outputs are projected.
    h2r_weight_initializer : Initializer or str, optional
        Of the projection.
    state_clip_min, state_clip_max : float, optional
        Bounds of the memory, both or none.
    state_clip_nan : bool, default False
        Whether NaN is clipped too.
    dtype : str or type, default "float32"
    **kwargs
        `use_sequence_length`: whether a call takes the length of each sequence; `prefix` and
        `params` as for `Block`.

    Examples
    --------
    >>> from opforge import gluon, nd
    >>> layer = gluon.rnn.LSTM(8, layout="NTC")
    >>> layer.initialize()
    >>> output, (h, c) = layer(nd.ones((2, 5, 4)), layer.begin_state(2))
    >>> output.shape, h.shape, c.shape
    ((2, 5, 8), (1, 2, 8), (1, 2, 8))
    """

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
        super().__init__(
            "lstm",
            hidden_size,
            num_layers,
            layout,
            dropout,
            bidirectional,
            input_size,
            i2h_weight_initializer,
            h2h_weight_initializer,
            i2h_bias_initializer,
            h2h_bias_initializer,
            dtype,
            projection_size,
            h2r_weight_initializer,
            state_clip_min,
            state_clip_max,
            state_clip_nan,
            **kwargs,
        )


class GRU(RecurrentLayer):
    """Gated recurrent units of several layers; the reset gate comes after the product (cuDNN's).

    Parameters
    ----------
    hidden_size : int
        Units of each layer.
    num_layers : int, default 1
    layout : {"TNC", "NTC"}
        Order of time, batch and features in inputs and outputs.
    dropout : float, default 0
        Between layers, while training.
    bidirectional : bool, default False
        Add layers that go backward; outputs have both features side by side.
    input_size : int, default 0
        Features of the input; 0: taken from the first input.
    i2h_weight_initializer, h2h_weight_initializer : Initializer or str, optional
    i2h_bias_initializer, h2h_bias_initializer : Initializer or str, default "zeros"
        Of the weights and biases of input and state.
    dtype : str or type, default "float32"
    **kwargs
        `use_sequence_length`: whether a call takes the length of each sequence; `prefix` and
        `params` as for `Block`.
    """

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
        dtype: Any = "float32",
        **kwargs: Any,
    ) -> None:
        super().__init__(
            "gru",
            hidden_size,
            num_layers,
            layout,
            dropout,
            bidirectional,
            input_size,
            i2h_weight_initializer,
            h2h_weight_initializer,
            i2h_bias_initializer,
            h2h_bias_initializer,
            dtype,
            **kwargs,
        )


LAYERS: list[type] = [RNN, LSTM, GRU]
