"""Layers of transposed convolution."""

from typing import Any

from .layers import ConvolutionLayer, Lengths, Parameters, Window


class TransposedLayer(ConvolutionLayer):
    """A layer that makes what a convolution could have made its input of.

    Parameters
    ----------
    channels, window, layout, activation, parameters
        As those of `ConvolutionLayer`.
    output_padding : int or sequence of int
    prefix, params
        As those of every block.
    """

    _operator = "Deconvolution"

    def __init__(
        self,
        channels: int,
        window: Window,
        layout: str,
        activation: str | None,
        parameters: Parameters,
        output_padding: Lengths,
        **kwargs: Any,
    ) -> None:
        super().__init__(channels, window, layout, activation, parameters, **kwargs)
        self._kwargs["adj"] = self._lengths("output_padding", output_padding)

    def _weight_shape(self, in_channels: int) -> tuple[int, ...]:
        """Return the weight's shape: it has filters for the channels of the input."""
        said = self._kwargs
        return self._laid_out(in_channels, said["num_filter"] // said["num_group"])


class Conv1DTranspose(TransposedLayer):
    """Transposed convolution of signals, (n, channels, width).

    Parameters
    ----------
    layout : str, default "NCW"
        "NWC" for channels that come last.
    channels, kernel_size, strides, padding, output_padding, dilation, groups
        As those of `Conv2DTranspose`.
    activation, use_bias, weight_initializer, bias_initializer, in_channels
        As those of `Conv2DTranspose`.

    Examples
    --------
    >>> from opforge import gluon, nd
    >>> layer = gluon.nn.Conv1DTranspose(8, kernel_size=3, strides=2)
    >>> layer.initialize()
    >>> layer(nd.ones((2, 4, 6))).shape
    (2, 8, 13)
    """

    _layouts = ("NCW", "NWC")

    def __init__(
        self,
        channels: int,
        kernel_size: Lengths,
        strides: Lengths = 1,
        padding: Lengths = 0,
        output_padding: Lengths = 0,
        dilation: Lengths = 1,
        groups: int = 1,
        layout: str = "NCW",
        activation: str | None = None,
        use_bias: bool = True,
        weight_initializer: Any = None,
        bias_initializer: Any = "zeros",
        in_channels: int = 0,
        **kwargs: Any,
    ) -> None:
        window = (kernel_size, strides, padding, dilation, groups)
        parameters = (use_bias, weight_initializer, bias_initializer, in_channels)
        super().__init__(channels, window, layout, activation, parameters, output_padding, **kwargs)


class Conv2DTranspose(TransposedLayer):
    """Transposed convolution of images, (n, channels, height, width).

    Parameters
    ----------
    output_padding : int or tuple of int, default 0
        Places to add at the end of the output; less than the strides.
    channels, kernel_size, strides, padding, dilation, groups, layout
        As those of `Conv2D`: what it would have made of the output is as long as the input.
    activation, use_bias, weight_initializer, bias_initializer, in_channels
        As those of `Conv2D`.

    Examples
    --------
    >>> from opforge import gluon, nd
    >>> layer = gluon.nn.Conv2DTranspose(8, kernel_size=3, strides=2)
    >>> layer.initialize()
    >>> layer(nd.ones((2, 4, 6, 6))).shape
    (2, 8, 13, 13)
    """

    _layouts = ("NCHW", "NHWC")

    def __init__(
        self,
        channels: int,
        kernel_size: Lengths,
        strides: Lengths = (1, 1),
        padding: Lengths = (0, 0),
        output_padding: Lengths = (0, 0),
        dilation: Lengths = (1, 1),
        groups: int = 1,
        layout: str = "NCHW",
        activation: str | None = None,
        use_bias: bool = True,
        weight_initializer: Any = None,
        bias_initializer: Any = "zeros",
        in_channels: int = 0,
        **kwargs: Any,
    ) -> None:
        window = (kernel_size, strides, padding, dilation, groups)
        parameters = (use_bias, weight_initializer, bias_initializer, in_channels)
        super().__init__(channels, window, layout, activation, parameters, output_padding, **kwargs)


class Conv3DTranspose(TransposedLayer):
    """Transposed convolution of volumes, (n, channels, depth, height, width).

    Parameters
    ----------
    layout : str, default "NCDHW"
        "NDHWC" for channels that come last.
    channels, kernel_size, strides, padding, output_padding, dilation, groups
        As those of `Conv2DTranspose`.
    activation, use_bias, weight_initializer, bias_initializer, in_channels
        As those of `Conv2DTranspose`.

    Examples
    --------
    >>> from opforge import gluon, nd
    >>> layer = gluon.nn.Conv3DTranspose(8, kernel_size=3, strides=2)
    >>> layer.initialize()
    >>> layer(nd.ones((2, 4, 6, 6, 6))).shape
    (2, 8, 13, 13, 13)
    """

    _layouts = ("NCDHW", "NDHWC")

    def __init__(
        self,
        channels: int,
        kernel_size: Lengths,
        strides: Lengths = (1, 1, 1),
        padding: Lengths = (0, 0, 0),
        output_padding: Lengths = (0, 0, 0),
        dilation: Lengths = (1, 1, 1),
        groups: int = 1,
        layout: str = "NCDHW",
        activation: str | None = None,
        use_bias: bool = True,
        weight_initializer: Any = None,
        bias_initializer: Any = "zeros",
        in_channels: int = 0,
        **kwargs: Any,
    ) -> None:
        window = (kernel_size, strides, padding, dilation, groups)
        parameters = (use_bias, weight_initializer, bias_initializer, in_channels)
        super().__init__(channels, window, layout, activation, parameters, output_padding, **kwargs)


LAYERS = (Conv1DTranspose, Conv2DTranspose, Conv3DTranspose)
