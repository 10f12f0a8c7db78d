"""A direction of a recurrent layer whose weights have 8 or 4 bits, in C."""

from typing import Any

from opforge.plugin_api import Attribute, ShapeError

from .base import complete_shapes
from .dynamic_dense import DynamicWeights

__all__ = ["GATES", "DynamicRNN"]

#: Gates of each kind of cell, in MXNet's order: i, f, g, o of LSTM; r, z, n of GRU.
GATES = {"rnn_relu": 1, "rnn_tanh": 1, "lstm": 4, "gru": 3}


class DynamicRNN(DynamicWeights):
    """Run sequences through recurrent cells whose weights have 8 or 4 bits.

    The cells are those of `RNN`. Each row of data, and each state, is quantized as by
    `_dynamic_dense`; all else is float32. A sequence with a number that is not finite gives NaN
    from there on.

    Examples
    --------
    >>> from opforge import nd
    >>> data, weight = nd.array([[[1.0]], [[2]]]), nd.array([[127]], dtype="int8")
    >>> scale, bias = nd.array([[1 / 127]]), nd.zeros((1,))
    >>> out, last = nd._dynamic_rnn(
    ...     *(data, weight, scale, weight, scale, bias, bias),
    ...     mode="rnn_relu", state_size=1, with_state=False
    ... )
    >>> out.round().asnumpy().ravel().tolist(), last.round().asnumpy().item()
    ([1.0, 3.0], 3.0)
    """

    name = "_dynamic_rnn"
    weights = ("i2h_weight", "h2h_weight")
    # fmt: off
    arguments = (
        "data", "i2h_weight", "i2h_scale", "h2h_weight", "h2h_scale", "i2h_bias", "h2h_bias",
        "state", "state_cell",
    )
    # fmt: on
    outputs = ("output", "state_output", "statecell_output")
    argument_dtypes = {
        "i2h_weight": ("int8", "uint8"),
        "i2h_scale": ("float32",),
        "h2h_weight": ("int8", "uint8"),
        "h2h_scale": ("float32",),
        "i2h_bias": ("float32",),
        "h2h_bias": ("float32",),
        "state": ("float32",),
        "state_cell": ("float32",),
    }
    output_dtypes = {
        "output": "float32",
        "state_output": "float32",
        "statecell_output": "float32",
    }
    argument_docs = {
        "data": "(steps, n, channels)",
        "i2h_weight": "int8 (gates * state_size, channels); 4 bits as for _dynamic_dense",
        "i2h_scale": "(gates * state_size, groups)",
        "h2h_weight": "int8 (gates * state_size, state_size); 4 bits as for _dynamic_dense",
        "h2h_scale": "(gates * state_size, groups)",
        "i2h_bias": "(gates * state_size,)",
        "h2h_bias": "(gates * state_size,)",
        "state": "(n, state_size); with with_state",
        "state_cell": "(n, state_size); with with_state and mode lstm",
    }
    mode = Attribute(str, choices=("rnn_relu", "rnn_tanh", "lstm", "gru"), doc="Kind of cells.")
    state_size = Attribute(int, ge=1, le=2147483647, doc="Length of a state.")
    reverse = Attribute(bool, default=False, doc="Begin with the last step.")
    with_state = Attribute(bool, default=True, doc="Initial states are inputs, not zeros.")

    def list_arguments(self) -> list[str]:
        """Return the arrays, and with `with_state` the states."""
        n_states = self._n_states if self.with_state else 0
        return list(self.arguments[: 7 + n_states])

    def list_outputs(self) -> list[str]:
        """Return the sequences and the last states."""
        return list(self.outputs[: 1 + self._n_states])

    @property
    def _n_states(self) -> int:
        return 2 if self.mode == "lstm" else 1

    def complete_data(self, shapes: Any) -> Any:
        """Return (steps, n, state_size)."""
        data = shapes["data"]
        if not data:
            return None
        if len(data) != 3:
            raise ShapeError(
                f"operator {self.name!r}: 'data' has shape {data}; expected (steps, n, channels)"
            )
        steps, n, channels = data
        size, rows = self.state_size, GATES[self.mode] * self.state_size
        expected = {
            "i2h_weight": self.weight_shape(rows, channels),
            "i2h_scale": self.scale_shape(rows, channels),
            "h2h_weight": self.weight_shape(rows, size),
            "h2h_scale": self.scale_shape(rows, size),
            **{"i2h_bias": (rows,), "h2h_bias": (rows,)},
            **{"state": (n, size), "state_cell": (n, size)},
        }
        complete_shapes(self, shapes, expected)
        return steps, n, size

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the shape of the sequences, and those of the states."""
        inputs, (out, *_), states = super().infer_shape(in_shape)
        return inputs, [out, *[out and out[1:]] * self._n_states], states
