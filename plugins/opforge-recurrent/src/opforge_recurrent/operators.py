"""The declarations of RNN, and of its predictions, which keep nothing; C computes both."""

from collections.abc import Sequence
from typing import Any

from opforge.plugin_api import Attribute, AttributeValueError, native

LIBRARY = native.load(f"{__package__}._native")


class RNN(native.NativeOperator):
    """Take sequences through layers of recurrent cells, in one direction or both.

    At step t a layer makes its state h(t) of x(t), its input, and h(t-1):

    - ``rnn_relu``, ``rnn_tanh``: h = f(W x + R h + b), f being relu or tanh;
    - ``lstm``: the gates i, f, o = sigmoid and g = tanh of such sums, c = f c + i g, h = o tanh(c);
    - ``gru``: r, z = sigmoid of such sums, n = tanh(W x + b + r (R h + d)), h = (1 - z) n + z h.

    `parameters` holds the weights of all layers, then all biases. Of each layer, and in it of each
    direction, there are W, R and, with `projection_size`, the projection of h; then the biases of
    W and of R. A weight's rows are those of its gates, one after the other: i, f, g, o or r, z, n.

    The result has the states of the last layer at each step, those of both directions side by
    side. With `state_outputs` the states after the last step follow, and the cells of an LSTM.

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
    argument_docs = {
        "data": "(steps, n, channels), floating",
        "parameters": "all weights and biases, in one row",
        "state": "(num_layers * directions, n, state_size), or projection_size in place of it",
        "state_cell": "(num_layers * directions, n, state_size); of an lstm",
        "sequence_length": "(n,): steps of each sequence; with use_sequence_length",
    }
    state_size = Attribute(int, ge=1, le=2147483647, doc="Length of a state.")
    num_layers = Attribute(int, ge=1, le=2147483647, doc="Layers, each on top of the one before.")
    bidirectional = Attribute(bool, default=False, doc="Whether layers read from the end too.")
    mode = Attribute(
        str, choices=("gru", "lstm", "rnn_relu", "rnn_tanh"), doc="The kind of the cells."
    )
    p = Attribute(float, default=0.0, ge=0, le=1, doc="Share of what goes up that training drops.")
    state_outputs = Attribute(bool, default=False, doc="Whether to return the last states too.")
    projection_size = Attribute(
        int, default=None, ge=1, le=2147483647, doc="Length to which an lstm projects its states."
    )
    lstm_state_clip_min = Attribute(float, default=None, doc="Least value of an lstm's cells.")
    lstm_state_clip_max = Attribute(float, default=None, doc="Largest value of an lstm's cells.")
    lstm_state_clip_nan = Attribute(
        bool, default=False, doc="Whether clipping turns NaN into the least value."
    )
    use_sequence_length = Attribute(bool, default=False, doc="Whether sequences have own lengths.")

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        if self.projection_size is not None and self.mode != "lstm":
            raise AttributeValueError(
                f"operator 'RNN': projection_size is {self.projection_size} with mode "
                f"{self.mode!r}, expected mode 'lstm', the only one that projects"
            )
        bounds = self.lstm_state_clip_min, self.lstm_state_clip_max
        if (bounds[0] is None) != (bounds[1] is None):
            raise AttributeValueError(
                "operator 'RNN': lstm_state_clip_min and lstm_state_clip_max are "
                f"{bounds[0]} and {bounds[1]}, expected both or neither"
            )
        if bounds[0] is not None and not bounds[0] <= bounds[1]:
            raise AttributeValueError(
                f"operator 'RNN': lstm_state_clip_min is {bounds[0]}, above lstm_state_clip_max, "
                f"{bounds[1]}"
            )
        self.saves = ("inputs", "output", "reserve")

    @property
    def num_visible_outputs(self) -> int:
        """Show all but the memory that is for the gradient."""
        return len(self.list_outputs()) - 1

    def list_arguments(self) -> list[str]:
        """Leave out what the mode and the attributes do not take."""
        cell = ["state_cell"] if self.mode == "lstm" else []
        length = ["sequence_length"] if self.use_sequence_length else []
        return ["data", "parameters", "state", *cell, *length]

    def list_outputs(self) -> list[str]:
        """Return MXNet's names, and what forward keeps for the gradient."""
        cell = ["statecell_output"] if self.mode == "lstm" else []
        states = ["state_output", *cell] if self.state_outputs else []
        return ["output", *states, "reserve"]

    def compose_predicting(self, F: Any, *inputs: Any) -> list[Any]:
        """Keep nothing for a gradient."""
        given = {key: getattr(self, key) for key in type(self).attributes}
        given = {key: value for key, value in given.items() if value is not None}
        return [F._RNN_prediction(*inputs, **given), F.zeros(shape=(1,))]

    def declare_backward_dependency(
        self, out_grad: Sequence[int], in_data: Sequence[int], out_data: Sequence[int]
    ) -> list[int]:
        """Leave out the gradient of what is kept, which is as large and always 0."""
        read = super().declare_backward_dependency(out_grad, in_data, out_data)
        return [i for i in read if i not in out_grad[-1:]]


class RNNPrediction(RNN):
    """Take sequences through recurrent layers as `RNN` does, without a gradient or dropout.

    Sums have memory for a few steps, all layers the same, where `RNN` keeps them all.
    """

    name = "_RNN_prediction"
    differentiable = False
    compose_predicting: Any = None

    @property
    def num_visible_outputs(self) -> int:
        """Show all."""
        return len(self.list_outputs())

    def list_outputs(self) -> list[str]:
        """Return MXNet's names."""
        return super().list_outputs()[:-1]
