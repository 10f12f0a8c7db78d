"""Declarations of RNN and of its prediction variant, which are implemented in C."""

from collections.abc import Sequence
from typing import Any

from opforge.plugin_api import Attribute, AttributeValueError, native

LIBRARY = native.load(f"{__package__}._native")


class RNN(native.NativeOperator):
    """Run sequences through layers of recurrent cells, in one direction or both.

    At step t, a layer computes its state h(t) from its input x(t) and h(t-1):

    - ``rnn_relu``, ``rnn_tanh``: h = f(W x + R h + b) with f = relu or tanh;
    - ``lstm``: gates i, f, o = sigmoid and g = tanh of such sums, c = f c + i g, h = o tanh(c);
    - ``gru``: r, z = sigmoid of such sums, n = tanh(W x + b + r (R h + d)), h = (1 - z) n + z h.

    `parameters` holds the weights of all layers, then all biases: for each layer and direction W, R
    and, with `projection_size`, the projection of h; then the biases of W and of R. The rows of a
    weight are ordered by gate: i, f, g, o or r, z, n.

    The result holds the states of the last layer at each step, those of both directions side by
    side. With `state_outputs`, the states after the last step follow, and the cells of an LSTM.

    Examples
    --------
    >>> from opforge import nd
    >>> parameters = nd.array([1.0, 0.5, 0.0, 0.0])
    >>> data, state = nd.ones((3, 1, 1)), nd.zeros((1, 1, 1))
    >>> out = nd.RNN(data, parameters, state, state_size=1, num_layers=1, mode="rnn_relu")
    >>> out.asnumpy().ravel().tolist()
    [1.0, 1.5, 1.75]
    """

    name = "RNN"
    category = "linear"
    library = LIBRARY
    arguments = ("data", "parameters", "state", "state_cell", "sequence_length")
    dtypes = ("floating", "bfloat16")
    argument_dtypes = {"sequence_length": ("any", "bfloat16")}
    argument_docs = {
        "data": "(steps, n, channels), floating",
        "parameters": "all weights and biases, as one vector",
        "state": "(num_layers * directions, n, state_size or projection_size)",
        "state_cell": "(num_layers * directions, n, state_size); for mode 'lstm'",
        "sequence_length": "(n,): steps of each sequence; with use_sequence_length",
    }
    state_size = Attribute(int, ge=1, le=2147483647, doc="Length of a state.")
    num_layers = Attribute(int, ge=1, le=2147483647, doc="Number of stacked layers.")
    bidirectional = Attribute(
        bool, default=False, doc="Whether layers also process sequences backward."
    )
    mode = Attribute(str, choices=("gru", "lstm", "rnn_relu", "rnn_tanh"), doc="Kind of cells.")
    p = Attribute(float, default=0.0, ge=0, le=1, doc="Dropout rate between layers, in training.")
    state_outputs = Attribute(bool, default=False, doc="Whether to return the last states too.")
    projection_size = Attribute(
        int, default=None, ge=1, le=2147483647, doc="Length that an LSTM projects its states to."
    )
    lstm_state_clip_min = Attribute(float, default=None, doc="Lower bound of an LSTM's cells.")
    lstm_state_clip_max = Attribute(float, default=None, doc="Upper bound of an LSTM's cells.")
    lstm_state_clip_nan = Attribute(
        bool, default=False, doc="Whether clipping replaces NaN by the lower bound."
    )
    use_sequence_length = Attribute(
        bool, default=False, doc="Whether `sequence_length` is an input."
    )

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        if self.projection_size is not None and self.mode != "lstm":
            raise AttributeValueError(
                f"operator 'RNN': projection_size is {self.projection_size} with mode "
                f"{self.mode!r}; only mode 'lstm' supports projection. Omit projection_size"
            )
        bounds = self.lstm_state_clip_min, self.lstm_state_clip_max
        if (bounds[0] is None) != (bounds[1] is None):
            raise AttributeValueError(
                "operator 'RNN': lstm_state_clip_min and lstm_state_clip_max are "
                f"{bounds[0]} and {bounds[1]}; expected both or neither"
            )
        if bounds[0] is not None and not bounds[0] <= bounds[1]:
            raise AttributeValueError(
                f"operator 'RNN': lstm_state_clip_min is {bounds[0]}; expected at most "
                f"lstm_state_clip_max, {bounds[1]}"
            )
        self.saves = ("inputs", "output", "reserve")

    @property
    def num_visible_outputs(self) -> int:
        """Number of visible outputs: all except the reserve."""
        return len(self.list_outputs()) - 1

    def list_arguments(self) -> list[str]:
        """Return the names of the inputs for the mode and attributes."""
        cell = ["state_cell"] if self.mode == "lstm" else []
        length = ["sequence_length"] if self.use_sequence_length else []
        return ["data", "parameters", "state", *cell, *length]

    def list_outputs(self) -> list[str]:
        """Return MXNet's names of the outputs, and the reserve that forward stores for backward."""
        cell = ["statecell_output"] if self.mode == "lstm" else []
        states = ["state_output", *cell] if self.state_outputs else []
        return ["output", *states, "reserve"]

    def compose_predicting(self, F: Any, *inputs: Any) -> list[Any]:
        """Compose the prediction of the operator without a reserve."""
        given = {key: getattr(self, key) for key in type(self).attributes}
        given = {key: value for key, value in given.items() if value is not None}
        return [F._RNN_prediction(*inputs, **given), F.zeros(shape=(1,))]

    def declare_backward_dependency(
        self, out_grad: Sequence[int], in_data: Sequence[int], out_data: Sequence[int]
    ) -> list[int]:
        """Exclude the gradient of the reserve, which is as large and always 0."""
        read = super().declare_backward_dependency(out_grad, in_data, out_data)
        return [i for i in read if i not in out_grad[-1:]]


class RNNPrediction(RNN):
    """Run sequences through recurrent layers as `RNN` does, without gradient and dropout.

    All layers share a buffer for the sums of a few steps, where `RNN` stores all of them.
    """

    name = "_RNN_prediction"
    differentiable = False
    compose_predicting: Any = None

    @property
    def num_visible_outputs(self) -> int:
        """Number of visible outputs: all."""
        return len(self.list_outputs())

    def list_outputs(self) -> list[str]:
        """Return MXNet's names of the outputs."""
        return super().list_outputs()[:-1]
