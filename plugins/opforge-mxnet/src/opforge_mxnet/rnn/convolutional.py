"""Cells whose gates are convolutions of the input and of the state."""

from collections.abc import Sequence
from typing import Any

from opforge import symbol as sym

from .base import StateInfo
from .gates import ElmanCell, GatedCell, GRUStepCell, LSTMStepCell
from .parameters import RNNParams

__all__ = ["BaseConvRNNCell", "ConvGRUCell", "ConvLSTMCell", "ConvRNNCell"]

_Pair = tuple[int, int]


def _leaky(data: Any, **kwargs: Any) -> Any:
    return sym.LeakyReLU(data, act_type="leaky", slope=0.2, **kwargs)


class BaseConvRNNCell(GatedCell):
    """Base of convolutional cells in two dimensions.

    Parameters
    ----------
    input_shape : tuple of int
        Shape of one step's input, including the batch.
    num_hidden : int
        Channels of the output.
    h2h_kernel, h2h_dilate : tuple of int
        Convolution of the state, which keeps the size, so the kernel must be odd.
    i2h_kernel, i2h_stride, i2h_pad, i2h_dilate : tuple of int
        Convolution of the input.
    i2h_weight_initializer, h2h_weight_initializer : Initializer or str, optional
    i2h_bias_initializer, h2h_bias_initializer : Initializer or str, default "zeros"
    activation : str or callable, default LeakyReLU of slope 0.2
    prefix : str
    params : RNNParams, optional
        See `BaseRNNCell`.
    conv_layout : str, default "NCHW"
    """

    #: Default prefix of the cell.
    _own_prefix = ""

    def __init__(
        self,
        input_shape: Sequence[int],
        num_hidden: int,
        h2h_kernel: _Pair = (3, 3),
        h2h_dilate: _Pair = (1, 1),
        i2h_kernel: _Pair = (3, 3),
        i2h_stride: _Pair = (1, 1),
        i2h_pad: _Pair = (1, 1),
        i2h_dilate: _Pair = (1, 1),
        i2h_weight_initializer: Any = None,
        h2h_weight_initializer: Any = None,
        i2h_bias_initializer: Any = "zeros",
        h2h_bias_initializer: Any = "zeros",
        activation: Any = _leaky,
        prefix: str | None = None,
        params: RNNParams | None = None,
        conv_layout: str = "NCHW",
    ) -> None:
        super().__init__(self._own_prefix if prefix is None else prefix, params)
        assert all(size % 2 == 1 for size in h2h_kernel), (
            f"Only support odd number, get h2h_kernel= {h2h_kernel}"
        )
        self._num_hidden = num_hidden
        self._activation = activation
        self._conv_layout = conv_layout
        self._channel_axis = conv_layout.find("C")
        h2h_pad = tuple(d * (k - 1) // 2 for d, k in zip(h2h_dilate, h2h_kernel, strict=True))
        self._i2h = {
            "kernel": i2h_kernel,
            "stride": i2h_stride,
            "pad": i2h_pad,
            "dilate": i2h_dilate,
            "layout": conv_layout,
        }
        self._h2h = {
            "kernel": h2h_kernel,
            "stride": (1, 1),
            "pad": h2h_pad,
            "dilate": h2h_dilate,
            "layout": conv_layout,
        }
        convolved = sym.Convolution(sym.var("data"), num_filter=num_hidden, **self._i2h)
        shape = convolved.infer_shape(data=tuple(input_shape))[1][0]
        self._state_shape = (0, *shape[1:])
        self._iW = self._params.get("i2h_weight", init=i2h_weight_initializer)
        self._hW = self._params.get("h2h_weight", init=h2h_weight_initializer)
        self._iB = self._params.get("i2h_bias", init=i2h_bias_initializer)
        self._hB = self._params.get("h2h_bias", init=h2h_bias_initializer)

    @property
    def state_info(self) -> StateInfo:
        """Shape and layout of each state; the batch size is 0."""
        return [{"shape": self._state_shape, "__layout__": self._conv_layout}]

    def _products(self, inputs: Any, state: Any, name: str) -> tuple[Any, Any]:
        """Return the convolutions of all gates with the input and with the state."""
        size = self._num_hidden * len(self._gate_names)
        i2h, h2h = self._i2h, self._h2h
        return (
            sym.Convolution(inputs, self._iW, self._iB, num_filter=size, name=f"{name}i2h", **i2h),
            sym.Convolution(state, self._hW, self._hB, num_filter=size, name=f"{name}h2h", **h2h),
        )


class ConvRNNCell(ElmanCell, BaseConvRNNCell):
    """Convolutional form of `RNNCell`; parameters of `BaseConvRNNCell`."""

    _own_prefix = "ConvRNN_"


class ConvLSTMCell(LSTMStepCell, BaseConvRNNCell):
    """Convolutional form of `LSTMCell` (Shi et al., 2015); parameters of `BaseConvRNNCell`."""

    _own_prefix = "ConvLSTM_"


class ConvGRUCell(GRUStepCell, BaseConvRNNCell):
    """Convolutional form of `GRUCell`; parameters of `BaseConvRNNCell`."""

    _own_prefix = "ConvGRU_"
