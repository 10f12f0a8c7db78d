"""`RecurrentLayer`, the base class of layers that run the operator RNN."""

import re
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from opforge.plugin_api import F as nd
from opforge.plugin_api import HybridBlock, ShapeError, array_classes, autograd, sym

from .unfusing import unfused

__all__ = ["RecurrentLayer"]

_GATES = {"rnn_relu": 1, "rnn_tanh": 1, "lstm": 4, "gru": 3}
_NAME = re.compile(r"([lr])(\d+)_((?:i2h|h2h|h2r)_(?:weight|bias))")


class _DefaultStates(list[Any]):
    """Initial states of a call without states, which returns none either."""


class RecurrentLayer(HybridBlock):
    """Base class of stacked recurrent layers: parameters, states and names in files."""

    _mode: str
    _projection_size: int | None = None
    _projection_initializer: Any = None
    _clipping: Mapping[str, Any] = MappingProxyType(
        {"lstm_state_clip_min": None, "lstm_state_clip_max": None, "lstm_state_clip_nan": False}
    )

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
        use_sequence_length: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        assert layout in ("TNC", "NTC"), f"Invalid layout {layout}; must be one of ['TNC' or 'NTC']"
        self._hidden_size = hidden_size
        self._num_layers = num_layers
        self._layout = layout
        self._dropout = dropout
        self._dir = 2 if bidirectional else 1
        self._input_size = input_size
        self._dtype = dtype
        self._use_sequence_length = use_sequence_length
        self._gates = _GATES[self._mode]
        #: Initializers of weights and biases, by the names of the cells' arguments.
        self._initializers = {
            "i2h_weight_initializer": i2h_weight_initializer,
            "h2h_weight_initializer": h2h_weight_initializer,
            "i2h_bias_initializer": i2h_bias_initializer,
            "h2h_bias_initializer": h2h_bias_initializer,
            "h2r_weight_initializer": self._projection_initializer,
        }
        for name, shape in self._shapes():
            init = self._initializers[f"{name.partition('_')[2]}_initializer"]
            found = self.params.get(
                name, shape=shape, init=init, dtype=dtype, allow_deferred_init=True
            )
            setattr(self, name, found)

    def _shapes(self) -> Iterator[tuple[str, tuple[int, ...]]]:
        """Yield name and shape of each parameter."""
        hidden, rows = self._hidden_size, self._gates * self._hidden_size
        state_size = self._projection_size or hidden
        below = self._input_size
        for layer in range(self._num_layers):
            for direction in self._directions:
                name = f"{direction}{layer}"
                yield f"{name}_i2h_weight", (rows, below)
                yield f"{name}_h2h_weight", (rows, state_size)
                yield f"{name}_i2h_bias", (rows,)
                yield f"{name}_h2h_bias", (rows,)
                if self._projection_size:
                    yield f"{name}_h2r_weight", (self._projection_size, hidden)
            below = state_size * self._dir

    @property
    def _directions(self) -> str:
        return "lr"[: self._dir]

    def _packed(self) -> Iterator[str]:
        """Yield the names of the parameters in the operator's order."""
        groups = ("i2h", "h2h", "h2r") if self._projection_size else ("i2h", "h2h")
        for kind in ("weight", "bias"):
            for layer in range(self._num_layers):
                for direction in self._directions:
                    for group in groups:
                        if (group, kind) != ("h2r", "bias"):
                            yield f"{direction}{layer}_{group}_{kind}"

    def __repr__(self) -> str:
        rows, columns = self._reg_params["l0_i2h_weight"].shape or (0, 0)
        parts = [f"{columns or None} -> {rows // self._gates}", self._layout]
        if self._num_layers != 1:
            parts.append(f"num_layers={self._num_layers}")
        if self._dropout != 0:
            parts.append(f"dropout={self._dropout}")
        if self._dir == 2:
            parts.append("bidirectional")
        return f"{type(self).__name__}({', '.join(parts)})"

    def _collect_params_with_prefix(self, prefix: str = "") -> dict[str, Any]:
        """Return the parameters by their names in MXNet's files, which are those of cells."""
        cell = ".{}_cell." if self._dir == 2 else "."
        found = super()._collect_params_with_prefix(prefix)
        start = f"{prefix}." if prefix else ""
        named = {}
        for name, parameter in found.items():
            match = _NAME.fullmatch(name.removeprefix(start))
            if match:
                direction, layer, rest = match.groups()
                name = f"{start}_unfused.{layer}{cell.format(direction)}{rest}"
            named[name] = parameter
        return named

    def cast(self, dtype: Any) -> None:
        """Convert all parameters and future initial states to `dtype`."""
        super().cast(dtype)
        self._dtype = dtype

    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]:
        """Return the shape, layout and dtype of each state."""
        sizes = [self._projection_size or self._hidden_size]
        if self._mode == "lstm":
            sizes.append(self._hidden_size)
        n_layers = self._num_layers * self._dir
        return [
            {"shape": (n_layers, batch_size, size), "__layout__": "LNC", "dtype": self._dtype}
            for size in sizes
        ]

    def begin_state(
        self, batch_size: int = 0, func: Callable[..., Any] = nd.zeros, **kwargs: Any
    ) -> list[Any]:
        """Return initial states, also with `dtype`; see `RecurrentCell.begin_state`."""
        states = [
            func(**{"name": f"{self.prefix}h0_{at}", **info, **kwargs})
            for at, info in enumerate(self.state_info(batch_size))
        ]
        return array_classes.as_requested(states)

    def infer_shape(self, inputs: Any, *args: Any) -> None:
        """Set the input size of the first layer's weights."""
        shape = getattr(inputs, "shape", None)
        if shape is None:  # an unbound symbol
            return
        self._expect_sequences(shape)
        for direction in self._directions:
            weight = getattr(self, f"{direction}0_i2h_weight")
            weight.shape = (weight.shape[0], shape[2])

    def __call__(self, inputs: Any, states: Any = None, sequence_length: Any = None) -> Any:
        """Run all steps.

        Parameters
        ----------
        inputs : NDArray or Symbol
            Sequences with the axes of `layout`.
        states : NDArray, Symbol or list of them, optional
            Initial states; default zeros.
        sequence_length : NDArray or Symbol, shape (batch,), optional
            Steps of each sequence, with `use_sequence_length`.

        Returns
        -------
        NDArray or Symbol
            The top layer's output at each step; with `states` given, this and a list of the states
            after the last step.
        """
        if isinstance(states, nd.NDArray | sym.Symbol):
            states = [states]
        elif states is None and self._active and isinstance(inputs, nd.NDArray):
            # They are inputs of the graph, also of an exported one, as in MXNet.
            states = _DefaultStates(self._begin(nd, inputs))
        lengths = (sequence_length,) if self._use_sequence_length else ()
        return super().__call__(inputs, states, *lengths)

    def hybrid_forward(
        self, F: Any, x: Any, states: Any, sequence_length: Any = None, **params: Any
    ) -> Any:
        """Return the outputs, and the last states if `states` were given."""
        begin = self._begin(F, x) if states is None else states
        n_states = len(self.state_info())
        if len(begin) != n_states:
            raise ValueError(
                f"{self.name} got {len(begin)} states; expected {n_states}. Use begin_state"
            )
        if F is nd:
            self._expect_states(x, begin)
        if self._layout == "NTC":
            x = F.swapaxes(x, dim1=0, dim2=1)
        flat = [F.reshape(params[name], shape=(-1,)) for name in self._packed()]
        lengths = [sequence_length] if self._use_sequence_length else []
        outputs, *next_states = self._operator(F)(
            x,
            F._internal._rnn_param_concat(*flat, dim=0),
            *begin,
            *lengths,
            use_sequence_length=self._use_sequence_length,
            state_size=self._hidden_size,
            projection_size=self._projection_size,
            num_layers=self._num_layers,
            bidirectional=self._dir == 2,
            p=self._dropout,
            state_outputs=True,
            mode=self._mode,
            **self._clipping,
        )
        if self._layout == "NTC":
            outputs = F.swapaxes(outputs, dim1=0, dim2=1)
        returns_states = states is not None and not isinstance(states, _DefaultStates)
        return (outputs, next_states) if returns_states else outputs

    def _operator(self, F: Any) -> Any:
        """Return the operator to call: without recording, the one that stores no reserve."""
        if F is nd and not (autograd.is_recording() or autograd.is_training()):
            return F._internal._RNN_prediction
        return F.RNN

    def _begin(self, F: Any, inputs: Any) -> list[Any]:
        """Return zeros like the inputs."""
        dtype = getattr(inputs, "dtype", self._dtype)
        if F is sym:
            return self.begin_state(func=F.zeros, dtype=dtype)
        self._expect_sequences(inputs.shape)
        batch_size = inputs.shape[self._layout.find("N")]
        return self.begin_state(batch_size, ctx=inputs.context, dtype=dtype)

    def _expect_sequences(self, shape: Any) -> None:
        if len(shape) != 3:
            raise ShapeError(
                f"{self.name}: the input has shape {tuple(shape)}; expected three dimensions in "
                f"layout {self._layout} (time, batch, features). Use expand_dims for one step"
            )

    def _expect_states(self, inputs: Any, states: list[Any]) -> None:
        self._expect_sequences(inputs.shape)
        expected = [i["shape"] for i in self.state_info(inputs.shape[self._layout.find("N")])]
        got = [state.shape for state in states]
        if got != expected:
            raise ValueError(
                f"Invalid recurrent state shape. Expecting {expected}, got {got}: {self.name} got "
                f"an input of shape {inputs.shape}, layout {self._layout}"
            )

    def _unfuse(self) -> Any:
        """Return equivalent cells with the same parameters."""
        return unfused(self)
