"""Convolutional cells, whose gates are convolutions of input and state, in 1 to 3 dimensions."""

from collections.abc import Sequence
from typing import Any

from .base import HybridRecurrentCell, StateInfo, expect_activation
from .dense import gru_step, lstm_step

__all__ = [
    "Conv1DGRUCell",
    "Conv1DLSTMCell",
    "Conv1DRNNCell",
    "Conv2DGRUCell",
    "Conv2DLSTMCell",
    "Conv2DRNNCell",
    "Conv3DGRUCell",
    "Conv3DLSTMCell",
    "Conv3DRNNCell",
]

_Sizes = int | Sequence[int]
_LAYOUTS = {1: "NCW", 2: "NCHW", 3: "NCDHW"}


class _ConvCell(HybridRecurrentCell):
    """Base class of convolutional cells, with the arguments of `Conv2DLSTMCell`."""

    _n_dims = 1
    _n_gates = 1
    _n_states = 1

    def __init__(
        self,
        input_shape: Sequence[int],
        hidden_channels: int,
        i2h_kernel: _Sizes,
        h2h_kernel: _Sizes,
        i2h_pad: _Sizes = 0,
        i2h_dilate: _Sizes = 1,
        h2h_dilate: _Sizes = 1,
        i2h_weight_initializer: Any = None,
        h2h_weight_initializer: Any = None,
        i2h_bias_initializer: Any = "zeros",
        h2h_bias_initializer: Any = "zeros",
        conv_layout: str | None = None,
        activation: Any = "tanh",
        prefix: str | None = None,
        params: Any = None,
    ) -> None:
        super().__init__(prefix=prefix, params=params)
        self._hidden_channels = hidden_channels
        self._input_shape = tuple(input_shape)
        self._conv_layout = _LAYOUTS[self._n_dims] if conv_layout is None else conv_layout
        self._channel_axis = self._conv_layout.find("C")
        expect_activation(activation)
        self._activation = activation
        kernel, state_kernel = self._sizes(i2h_kernel), self._sizes(h2h_kernel)
        dilate, state_dilate = self._sizes(i2h_dilate), self._sizes(h2h_dilate)
        pad = self._sizes(i2h_pad)
        assert all(size % 2 == 1 for size in state_kernel), (
            f"Only support odd number, get h2h_kernel= {h2h_kernel}"
        )
        state_pad = _each(lambda d, k: d * (k - 1) // 2, state_dilate, state_kernel)
        shared = {"stride": (1,) * self._n_dims, "layout": self._conv_layout}
        self._i2h = {"kernel": kernel, "pad": pad, "dilate": dilate, **shared}
        self._h2h = {"kernel": state_kernel, "pad": state_pad, "dilate": state_dilate, **shared}

        channels = self._input_shape[self._channel_axis - 1]
        spatial = [size for at, size in enumerate(self._input_shape, 1) if at != self._channel_axis]
        # A size 0 is not known yet.
        convolved = _each(
            lambda x, p, d, k: x and x + 2 * p - d * (k - 1), spatial, pad, dilate, kernel
        )
        self._state_shape = self._in_layout_order(hidden_channels, convolved)
        rows = hidden_channels * self._n_gates
        for group, columns, sizes, weight_init, bias_init in (
            ("i2h", channels, kernel, i2h_weight_initializer, i2h_bias_initializer),
            ("h2h", hidden_channels, state_kernel, h2h_weight_initializer, h2h_bias_initializer),
        ):
            shape = (rows, *self._in_layout_order(columns, sizes))
            for kind, size, init in (("weight", shape, weight_init), ("bias", (rows,), bias_init)):
                name = f"{group}_{kind}"
                found = self.params.get(name, shape=size, init=init, allow_deferred_init=True)
                setattr(self, name, found)

    def _sizes(self, given: _Sizes) -> tuple[int, ...]:
        """Return one size for each spatial dimension."""
        sizes = (given,) * self._n_dims if isinstance(given, int) else tuple(given)
        assert len(sizes) == self._n_dims, (
            f"For {self._n_dims}D convolution, the convolution settings can only be either int or "
            f"list/tuple of length {self._n_dims}, got {given}"
        )
        return sizes

    def _in_layout_order(self, channels: int, sizes: tuple[int, ...]) -> tuple[int, ...]:
        """Return channels and sizes in the order of the layout."""
        at = self._channel_axis - 1
        return (*sizes[:at], channels, *sizes[at:])

    def __repr__(self) -> str:
        rows, *rest = self._reg_params["i2h_weight"].shape or ()
        channels = rest[self._channel_axis - 1] or None
        return (
            f"{type(self).__name__}({channels} -> {rows}, {self._activation}, {self._conv_layout})"
        )

    def state_info(self, batch_size: int = 0) -> StateInfo:
        """Return the shape and layout of each state."""
        shape = (batch_size, *self._state_shape)
        return [{"shape": shape, "__layout__": self._conv_layout} for _ in range(self._n_states)]

    def _products(self, F: Any, inputs: Any, state: Any, params: Any, name: str) -> Any:
        """Return the convolutions of the input and of the state for all gates."""
        rows = self._n_gates * self._hidden_channels
        return tuple(
            F.Convolution(
                data,
                params[f"{group}_weight"],
                params[f"{group}_bias"],
                num_filter=rows,
                name=f"{name}{group}",
                **sizes,
            )
            for group, data, sizes in (("i2h", inputs, self._i2h), ("h2h", state, self._h2h))
        )


def _each(function: Any, *sizes: Sequence[int]) -> tuple[int, ...]:
    return tuple(map(function, *sizes))


class _ConvRNNCell(_ConvCell):
    def _alias(self) -> str:
        return "conv_rnn"

    def hybrid_forward(self, F: Any, inputs: Any, states: Any, **params: Any) -> Any:
        """Return the output, which is the next state too."""
        name = f"t{self._counter}_"
        i2h, h2h = self._products(F, inputs, states[0], params, name)
        output = self._get_activation(F, i2h + h2h, self._activation, name=f"{name}out")
        return output, [output]


class _ConvLSTMCell(_ConvCell):
    _n_gates = 4
    _n_states = 2

    def _alias(self) -> str:
        return "conv_lstm"

    def hybrid_forward(self, F: Any, inputs: Any, states: Any, **params: Any) -> Any:
        """Return the output, and the next states: the output and the cell state."""
        name = f"t{self._counter}_"
        i2h, h2h = self._products(F, inputs, states[0], params, name)
        gates = F.SliceChannel(
            i2h + h2h, num_outputs=4, axis=self._channel_axis, name=f"{name}slice"
        )
        return lstm_step(self, F, gates, states[1], self._activation, "sigmoid", name)


class _ConvGRUCell(_ConvCell):
    _n_gates = 3

    def _alias(self) -> str:
        return "conv_gru"

    def hybrid_forward(self, F: Any, inputs: Any, states: Any, **params: Any) -> Any:
        """Return the output, which is the next state too."""
        name = f"t{self._counter}_"
        i2h, h2h = self._products(F, inputs, states[0], params, name)
        axis = self._channel_axis
        return gru_step(self, F, i2h, h2h, states[0], self._activation, axis, name)


class Conv1DRNNCell(_ConvRNNCell):
    """Convolutional form of `RNNCell` in one dimension, "NCW".

    Parameters
    ----------
    input_shape, hidden_channels, i2h_kernel, h2h_kernel
    **kwargs
        As for `Conv2DLSTMCell`.

    Examples
    --------
    >>> from opforge import nd
    >>> from opforge.gluon import contrib
    >>> cell = contrib.rnn.Conv1DRNNCell((3, 8), 5, i2h_kernel=3, h2h_kernel=3, i2h_pad=1)
    >>> cell.initialize()
    >>> output, states = cell(nd.ones((2, 3, 8)), cell.begin_state(batch_size=2))
    >>> output.shape, len(states)
    ((2, 5, 8), 1)
    """


class Conv2DRNNCell(_ConvRNNCell):
    """Convolutional form of `RNNCell` in two dimensions, "NCHW".

    Parameters
    ----------
    input_shape, hidden_channels, i2h_kernel, h2h_kernel
    **kwargs
        As for `Conv2DLSTMCell`.

    Examples
    --------
    >>> from opforge import nd
    >>> from opforge.gluon import contrib
    >>> cell = contrib.rnn.Conv2DRNNCell((3, 4, 4), 5, i2h_kernel=3, h2h_kernel=3, i2h_pad=1)
    >>> cell.initialize()
    >>> output, states = cell(nd.ones((2, 3, 4, 4)), cell.begin_state(batch_size=2))
    >>> output.shape, len(states)
    ((2, 5, 4, 4), 1)
    """

    _n_dims = 2


class Conv3DRNNCell(_ConvRNNCell):
    """Convolutional form of `RNNCell` in three dimensions, "NCDHW".

    Parameters
    ----------
    input_shape, hidden_channels, i2h_kernel, h2h_kernel
    **kwargs
        As for `Conv2DLSTMCell`.

    Examples
    --------
    >>> from opforge import nd
    >>> from opforge.gluon import contrib
    >>> cell = contrib.rnn.Conv3DRNNCell((3, 2, 4, 4), 5, i2h_kernel=3, h2h_kernel=3, i2h_pad=1)
    >>> cell.initialize()
    >>> output, states = cell(nd.ones((2, 3, 2, 4, 4)), cell.begin_state(batch_size=2))
    >>> output.shape, len(states)
    ((2, 5, 2, 4, 4), 1)
    """

    _n_dims = 3


class Conv1DLSTMCell(_ConvLSTMCell):
    """Convolutional form of `LSTMCell` (Shi et al., 2015) in one dimension, "NCW".

    Parameters
    ----------
    input_shape, hidden_channels, i2h_kernel, h2h_kernel
    **kwargs
        As for `Conv2DLSTMCell`.

    Examples
    --------
    >>> from opforge import nd
    >>> from opforge.gluon import contrib
    >>> cell = contrib.rnn.Conv1DLSTMCell((3, 8), 5, i2h_kernel=3, h2h_kernel=3, i2h_pad=1)
    >>> cell.initialize()
    >>> output, states = cell(nd.ones((2, 3, 8)), cell.begin_state(batch_size=2))
    >>> output.shape, len(states)
    ((2, 5, 8), 2)
    """


class Conv2DLSTMCell(_ConvLSTMCell):
    """Convolutional form of `LSTMCell` (Shi et al., 2015) in two dimensions, "NCHW".

    Parameters
    ----------
    input_shape : tuple of int
        Shape of one sample of one step, without the batch.
    hidden_channels : int
        Channels of the output.
    i2h_kernel, h2h_kernel : int or tuple of int
        Kernel sizes of the convolutions of input and state. The state keeps its size, so its kernel
        is odd.
    i2h_pad : int or tuple of int, default 0
    i2h_dilate, h2h_dilate : int or tuple of int, default 1
    i2h_weight_initializer, h2h_weight_initializer : Initializer or str, optional
    i2h_bias_initializer, h2h_bias_initializer : Initializer or str, default "zeros"
    conv_layout : str, default "NCHW"
    activation : str, Block or callable, default "tanh"
    prefix : str, optional
    params : ParameterDict, optional
        As for `Block`.

    Examples
    --------
    >>> from opforge import gluon, nd
    >>> cell = gluon.contrib.rnn.Conv2DLSTMCell((3, 8, 8), 4, i2h_kernel=3, h2h_kernel=3, i2h_pad=1)
    >>> cell.initialize()
    >>> output, states = cell(nd.ones((2, 3, 8, 8)), cell.begin_state(batch_size=2))
    >>> output.shape, [state.shape for state in states]
    ((2, 4, 8, 8), [(2, 4, 8, 8), (2, 4, 8, 8)])
    """

    _n_dims = 2


class Conv3DLSTMCell(_ConvLSTMCell):
    """Convolutional form of `LSTMCell` (Shi et al., 2015) in three dimensions, "NCDHW".

    Parameters
    ----------
    input_shape, hidden_channels, i2h_kernel, h2h_kernel
    **kwargs
        As for `Conv2DLSTMCell`.

    Examples
    --------
    >>> from opforge import nd
    >>> from opforge.gluon import contrib
    >>> cell = contrib.rnn.Conv3DLSTMCell((3, 2, 4, 4), 5, i2h_kernel=3, h2h_kernel=3, i2h_pad=1)
    >>> cell.initialize()
    >>> output, states = cell(nd.ones((2, 3, 2, 4, 4)), cell.begin_state(batch_size=2))
    >>> output.shape, len(states)
    ((2, 5, 2, 4, 4), 2)
    """

    _n_dims = 3


class Conv1DGRUCell(_ConvGRUCell):
    """Convolutional form of `GRUCell` in one dimension, "NCW".

    Parameters
    ----------
    input_shape, hidden_channels, i2h_kernel, h2h_kernel
    **kwargs
        As for `Conv2DLSTMCell`.

    Examples
    --------
    >>> from opforge import nd
    >>> from opforge.gluon import contrib
    >>> cell = contrib.rnn.Conv1DGRUCell((3, 8), 5, i2h_kernel=3, h2h_kernel=3, i2h_pad=1)
    >>> cell.initialize()
    >>> output, states = cell(nd.ones((2, 3, 8)), cell.begin_state(batch_size=2))
    >>> output.shape, len(states)
    ((2, 5, 8), 1)
    """


class Conv2DGRUCell(_ConvGRUCell):
    """Convolutional form of `GRUCell` in two dimensions, "NCHW".

    Parameters
    ----------
    input_shape, hidden_channels, i2h_kernel, h2h_kernel
    **kwargs
        As for `Conv2DLSTMCell`.

    Examples
    --------
    >>> from opforge import nd
    >>> from opforge.gluon import contrib
    >>> cell = contrib.rnn.Conv2DGRUCell((3, 4, 4), 5, i2h_kernel=3, h2h_kernel=3, i2h_pad=1)
    >>> cell.initialize()
    >>> output, states = cell(nd.ones((2, 3, 4, 4)), cell.begin_state(batch_size=2))
    >>> output.shape, len(states)
    ((2, 5, 4, 4), 1)
    """

    _n_dims = 2


class Conv3DGRUCell(_ConvGRUCell):
    """Convolutional form of `GRUCell` in three dimensions, "NCDHW".

    Parameters
    ----------
    input_shape, hidden_channels, i2h_kernel, h2h_kernel
    **kwargs
        As for `Conv2DLSTMCell`.

    Examples
    --------
    >>> from opforge import nd
    >>> from opforge.gluon import contrib
    >>> cell = contrib.rnn.Conv3DGRUCell((3, 2, 4, 4), 5, i2h_kernel=3, h2h_kernel=3, i2h_pad=1)
    >>> cell.initialize()
    >>> output, states = cell(nd.ones((2, 3, 2, 4, 4)), cell.begin_state(batch_size=2))
    >>> output.shape, len(states)
    ((2, 5, 2, 4, 4), 1)
    """

    _n_dims = 3
