"""`QuantizedRecurrent`, a recurrent layer whose weights have 8 or 4 bits."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from opforge.plugin_api import F as nd

from .dynamic_layer import DynamicLayer
from .operators.dynamic_rnn import GATES

__all__ = ["QuantizedRecurrent"]


def _part(F: Any, state: Any, index: int) -> Any:
    """Return the state of a direction of a layer."""
    return F.squeeze(F.slice_axis(state, axis=0, begin=index, end=index + 1), axis=0)


class QuantizedRecurrent(DynamicLayer):
    """Stacked recurrent layers whose weights have 8 or 4 bits; see the operator ``_dynamic_rnn``.

    It predicts: no gradient is computed, and nothing is dropped.

    Parameters
    ----------
    mode : {"lstm", "gru", "rnn_tanh", "rnn_relu"}
    hidden_size, input_size : int
        Units of each layer, and channels of the data.
    num_layers : int, default 1
    layout : {"TNC", "NTC"}
        Order of the axes time, batch and features.
    bidirectional : bool, default False
    bits : {8, 4}
    group_size : int
        Elements of a row of a weight with a common scale, 32, 64, 128, ...; 0: complete rows.

    Examples
    --------
    >>> from opforge import nd
    >>> layer = QuantizedRecurrent("gru", 5, input_size=3)
    >>> layer.initialize()
    >>> output, states = layer(nd.ones((7, 2, 3)), layer.begin_state(2))
    >>> output.shape, states[0].shape, layer.l0_i2h_weight.dtype
    ((7, 2, 5), (1, 2, 5), <class 'numpy.int8'>)
    """

    def __init__(
        self,
        mode: str,
        hidden_size: int,
        input_size: int,
        num_layers: int = 1,
        layout: str = "TNC",
        bidirectional: bool = False,
        bits: int = 8,
        group_size: int = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__(bits, group_size, **kwargs)
        if layout not in ("TNC", "NTC"):
            raise ValueError(f"{self.name}: layout is {layout!r}; expected 'TNC' or 'NTC'")
        self._mode, self._hidden_size, self._layout = mode, hidden_size, layout
        self._num_layers, self._directions = num_layers, "lr" if bidirectional else "l"
        self._input_size, rows = input_size, GATES[mode] * hidden_size
        for name in self._sublayers():
            below = input_size if name[1:] == "0" else hidden_size * len(self._directions)
            for kind, length in (("i2h", below), ("h2h", hidden_size)):
                weight, scale = self._weight(f"{name}_{kind}_weight", rows, length)
                setattr(self, f"{name}_{kind}_weight", weight)
                setattr(self, f"{name}_{kind}_scale", scale)
                setattr(self, f"{name}_{kind}_bias", self._bias(f"{name}_{kind}_bias", rows))

    def _sublayers(self) -> Iterator[str]:
        """Yield the names of directions of layers, as they begin those of parameters."""
        for layer in range(self._num_layers):
            for direction in self._directions:
                yield f"{direction}{layer}"

    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]:
        """Return the shape and layout of each state."""
        shape = self._num_layers * len(self._directions), batch_size, self._hidden_size
        n_states = 2 if self._mode == "lstm" else 1
        return [{"shape": shape, "__layout__": "LNC"} for _ in range(n_states)]

    def begin_state(
        self, batch_size: int = 0, func: Callable[..., Any] = nd.zeros, **kwargs: Any
    ) -> list[Any]:
        """Return initial states; `func` makes each from its shape and `kwargs`."""
        return [func(shape=info["shape"], **kwargs) for info in self.state_info(batch_size)]

    def __call__(self, inputs: Any, states: Any = None) -> Any:
        """Run all steps.

        Parameters
        ----------
        inputs : NDArray or Symbol
            Sequences with the axes of the layout.
        states : NDArray, Symbol or list of them, optional
            Initial states, each (layers * directions, n, hidden_size); default zeros.

        Returns
        -------
        NDArray or Symbol
            The top layer's output at each step; with `states`, this and a list of the states after
            the last step.
        """
        if states is not None and not isinstance(states, list | tuple):
            states = [states]
        return super().__call__(inputs, states)

    def hybrid_forward(self, F: Any, x: Any, states: Any = None, **params: Any) -> Any:
        """Return the outputs, and the last states if `states` were given."""
        n_states = len(self.state_info())
        if states is not None and len(states) != n_states:
            raise ValueError(
                f"{self.name} got {len(states)} states; expected {n_states}. Use begin_state"
            )
        if self._layout == "NTC":
            x = F.swapaxes(x, dim1=0, dim2=1)
        last: list[list[Any]] = [[] for _ in range(n_states)]
        n_directions = len(self._directions)
        for layer in range(self._num_layers):
            found: list[Any] = []
            for direction in self._directions:
                index = layer * n_directions + len(found)
                begin = [_part(F, state, index) for state in states or ()]
                out, *after = self._run_direction(F, f"{direction}{layer}", x, begin, params)
                found.append(out)
                for part, value in zip(last, after, strict=True):
                    part.append(value)
            x = found[0] if n_directions == 1 else F.concat(*found, dim=2)
        if self._layout == "NTC":
            x = F.swapaxes(x, dim1=0, dim2=1)
        return x if states is None else (x, [F.stack(*part, axis=0) for part in last])

    def _run_direction(self, F: Any, name: str, x: Any, begin: Any, params: Any) -> Any:
        """Return the outputs and the last states of a direction of a layer."""
        kinds = ("i2h_weight", "i2h_scale", "h2h_weight", "h2h_scale", "i2h_bias", "h2h_bias")
        return F._dynamic_rnn(
            x,
            *(params[f"{name}_{kind}"] for kind in kinds),
            *begin,
            mode=self._mode,
            state_size=self._hidden_size,
            reverse=name[0] == "r",
            with_state=bool(begin),
            **self._form,
        )

    def dequantized_weight(self, name: str) -> np.ndarray:
        """Return the real numbers that a weight stands for, by its name, such as l0_i2h_weight."""
        is_first = name.endswith("0_i2h_weight")
        width = self._hidden_size * len(self._directions)
        below = self._input_size if is_first else width
        return self._real_weight(name, below if "i2h" in name else self._hidden_size)

    def __repr__(self) -> str:
        parts = [f"{self._input_size} -> {self._hidden_size}", self._mode, self._layout]
        parts += [f"num_layers={self._num_layers}"] if self._num_layers > 1 else []
        parts += ["bidirectional"] if len(self._directions) > 1 else []
        return f"{type(self).__name__}({', '.join(parts)}, {self._form['bits']} bits)"
