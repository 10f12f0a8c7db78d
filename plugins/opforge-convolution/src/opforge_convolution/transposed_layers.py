"""Transposed convolution layers."""

from typing import Any

from .layers import ConvolutionLayer, Lengths


class TransposedLayer(ConvolutionLayer):
    """Base class of transposed convolution layers.

    Parameters
    ----------
    channels, kernel_size, strides, padding, output_padding, dilation, groups, layout
        As for `Conv2DTranspose`.
    activation, use_bias, weight_initializer, bias_initializer, in_channels
        As for `Conv2D`.
    prefix, params
        As for every block.
    """

    _operator = "Deconvolution"

    def __init__(
        self,
        channels: int,
        kernel_size: Lengths,
        strides: Lengths = 1,
        padding: Lengths = 0,
        output_padding: Lengths = 0,
        dilation: Lengths = 1,
        groups: int = 1,
        layout: str | None = None,
        activation: str | None = None,
        use_bias: bool = True,
        weight_initializer: Any = None,
        bias_initializer: Any = "zeros",
        in_channels: int = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            channels, kernel_size, strides, padding, dilation, groups, layout, activation,
            use_bias, weight_initializer, bias_initializer, in_channels, **kwargs,
        )  # fmt: skip
        self._kwargs["adj"] = self._lengths("output_padding", output_padding)

    def _weight_shape(self, in_channels: int) -> tuple[int, ...]:
        """Return the weight's shape, with one filter for each channel of the input."""
        attributes = self._kwargs
        return self._filter_shape(in_channels, attributes["num_filter"] // attributes["num_group"])


class Conv1DTranspose(TransposedLayer):
    """1D transposed convolution over signals of shape (n, channels, width).

    Parameters
    ----------
    channels, kernel_size, strides, padding, output_padding, dilation, groups, activation, \
use_bias, weight_initializer, bias_initializer, in_channels
        As for `Conv2DTranspose`.
    layout : {"NCW", "NWC"}

    Examples
    --------
    >>> from opforge import gluon, nd
    >>> layer = gluon.nn.Conv1DTranspose(8, kernel_size=3, strides=2)
    >>> layer.initialize()
    >>> layer(nd.ones((2, 4, 6))).shape
    (2, 8, 13)
    """

    _layouts = ("NCW", "NWC")


class Conv2DTranspose(TransposedLayer):
    """2D transposed convolution over images of shape (n, channels, height, width).

    Parameters
    ----------
    output_padding : int or tuple of int, default 0
        Elements added at the end of the output; less than the strides.
    channels, kernel_size, strides, padding, dilation, groups, layout
        As for the `Conv2D` that maps the output's size to the input's.
    activation, use_bias, weight_initializer, bias_initializer, in_channels
        As for `Conv2D`.

    Examples
    --------
    >>> from opforge import gluon, nd
    >>> layer = gluon.nn.Conv2DTranspose(8, kernel_size=3, strides=2)
    >>> layer.initialize()
    >>> layer(nd.ones((2, 4, 6, 6))).shape
    (2, 8, 13, 13)
    """

    _layouts = ("NCHW", "NHWC")


class Conv3DTranspose(TransposedLayer):
    """3D transposed convolution over volumes of shape (n, channels, depth, height, width).

    Parameters
    ----------
    channels, kernel_size, strides, padding, output_padding, dilation, groups, activation, \
use_bias, weight_initializer, bias_initializer, in_channels
        As for `Conv2DTranspose`.
    layout : {"NCDHW", "NDHWC"}

    Examples
    --------
    >>> from opforge import gluon, nd
    >>> layer = gluon.nn.Conv3DTranspose(8, kernel_size=3, strides=2)
    >>> layer.initialize()
    >>> layer(nd.ones((2, 4, 6, 6, 6))).shape
    (2, 8, 13, 13, 13)
    """

    _layouts = ("NCDHW", "NDHWC")
