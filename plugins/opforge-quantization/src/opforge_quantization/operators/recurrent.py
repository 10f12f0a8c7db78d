"""LSTM layers with weights of int8, in C."""

from typing import Any

from opforge.plugin_api import Attribute, AttributeValueError, ShapeError

from .base import LIBRARY, QuantizedOperator

__all__ = ["UNSUPPORTED", "QuantizedRNN"]

#: Attributes of RNN that must have their default.
UNSUPPORTED = (
    *("projection_size", "lstm_state_clip_min", "lstm_state_clip_max"),
    *("lstm_state_clip_nan", "use_sequence_length"),
)

_GATES = 4


class QuantizedRNN(QuantizedOperator):
    """Run sequences through layers of LSTM cells, with products in 8-bit integers.

    Data and states are uint8: a real number x is ``round(x * scale + shift)``. Weights are
    converted to int8, with a scale for each row. Results are real numbers; `parameters` is that of
    `RNN`.

    Examples
    --------
    >>> from opforge import nd
    >>> data = nd.array([[[128]], [[228]]], dtype="uint8")
    >>> state, scale, shift = nd.zeros((1, 1, 1)), nd.array([100]), nd.array([128])
    >>> parameters = nd.array([*[1.0] * 8, *[0.0] * 8])
    >>> out = nd.contrib.quantized_rnn(
    ...     data, parameters, state, state, scale, shift, state_size=1, num_layers=1, mode="lstm"
    ... )
    >>> (out * 100).asnumpy().ravel().round().tolist()
    [0.0, 37.0]
    """

    name = "_contrib_quantized_rnn"
    library = LIBRARY
    category = "linear"
    arguments = ("data", "parameters", "state", "state_cell", "data_scale", "data_shift")
    outputs = ("output",)
    dtypes = ("uint8",)
    argument_dtypes = {
        "parameters": ("float32",),
        "state": ("float32",),
        "state_cell": ("float32",),
        "data_scale": ("float32",),
        "data_shift": ("float32",),
    }
    output_dtypes = {
        "output": "float32",
        "state_output": "float32",
        "statecell_output": "float32",
    }
    argument_docs = {
        "data": "(steps, n, channels)",
        "parameters": "all weights and biases, as one vector",
        "state": "(num_layers * directions, n, state_size)",
        "state_cell": "(num_layers * directions, n, state_size)",
        "data_scale": "shape (1,)",
        "data_shift": "shape (1,)",
    }
    state_size = Attribute(int, ge=1, le=2147483647, doc="Length of a state.")
    num_layers = Attribute(int, ge=1, le=2147483647, doc="Number of stacked layers.")
    bidirectional = Attribute(
        bool, default=False, doc="Whether layers also process sequences backward."
    )
    mode = Attribute(str, choices=("lstm",), doc="Kind of cells.")
    p = Attribute(float, default=0.0, ge=0, le=1, doc="Ignored; predictions have no dropout.")
    state_outputs = Attribute(bool, default=False, doc="Whether to return the last states too.")
    projection_size = Attribute(int, default=None, doc="Must be None.")
    lstm_state_clip_min = Attribute(float, default=None, doc="Must be None.")
    lstm_state_clip_max = Attribute(float, default=None, doc="Must be None.")
    lstm_state_clip_nan = Attribute(bool, default=False, doc="Must be False.")
    use_sequence_length = Attribute(bool, default=False, doc="Must be False.")
    quantized = Attribute(bool, default=True, doc="Ignored; accepted for compatibility with MXNet.")

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        for name in UNSUPPORTED:
            if getattr(self, name) not in (None, False):
                raise AttributeValueError(
                    f"operator {self.name!r}: {name} is {getattr(self, name)}; only plain LSTM "
                    f"cells have a quantized form. Omit {name}, or use RNN"
                )

    def list_outputs(self) -> list[str]:
        """Return the names of the outputs."""
        states = ["state_output", "statecell_output"] if self.state_outputs else []
        return ["output", *states]

    def list_ranges(self) -> list[str]:
        """Return the names of scale and shift, which have one element."""
        return ["data_scale", "data_shift"]

    def complete_data(self, shapes: Any) -> Any:
        """Return (steps, n, directions * state_size)."""
        data = shapes["data"]
        if not data:
            return None
        if len(data) != 3:
            raise ShapeError(
                f"operator {self.name!r}: 'data' has shape {data}; expected (steps, n, channels)"
            )
        directions = 1 + self.bidirectional
        state = (self.num_layers * directions, data[1], self.state_size)
        shapes.update(state=state, state_cell=state, parameters=(self._n_parameters(data[2]),))
        return (*data[:2], directions * self.state_size)

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the shape of the sequences, and those of the states."""
        inputs, outputs, states = super().infer_shape(in_shape)
        return inputs, [outputs[0], *[inputs[2]] * (len(outputs) - 1)], states

    def _n_parameters(self, channels: int) -> int:
        """Return the number of weights and biases; 0 if the number of channels is unknown."""
        directions, size = 1 + self.bidirectional, self.state_size
        columns = channels + (self.num_layers - 1) * directions * size
        columns += self.num_layers * (size + 2)
        return directions * _GATES * size * columns if channels else 0
