"""Layers of convolution, and what those of transposed convolution have in common with them."""

from collections.abc import Sequence
from numbers import Integral
from typing import Any, ClassVar

from opforge.plugin_api import HybridBlock, nn

#: One number for all dimensions of space, or one for each.
Lengths = int | Sequence[int]
#: Kernel size, strides, padding, dilation and groups.
Window = tuple[Lengths, Lengths, Lengths, Lengths, int]
#: Whether there is a bias, initializers of weight and bias, and channels of the input.
Parameters = tuple[bool, Any, Any, int]


def lengths(
    made: HybridBlock, name: str, value: Lengths, dims: int, least: int = 0
) -> Sequence[int]:
    """Return one number for each of `dims` dimensions of space, of an argument of a layer."""
    given: Any = (int(value),) * dims if isinstance(value, Integral) else value
    if (
        isinstance(given, Sequence)
        and len(given) == dims
        and all(isinstance(item, Integral) and int(item) >= least for item in given)
    ):
        return given
    wanted = f"a number from {least} on" + (f" or {dims} of them" if dims > 1 else "")
    raise ValueError(f"{type(made).__name__}: {name} is {value!r}, expected {wanted}")


def check_channels(made: HybridBlock, channels: int, in_channels: int, groups: int) -> None:
    """Reject what counts nothing, and channels that groups do not divide; 0 inputs: not known."""
    counts = {"groups": (groups, 1), "channels": (channels, 1), "in_channels": (in_channels, 0)}
    for name, (value, least) in counts.items():
        if not isinstance(value, Integral) or value < least:
            wanted = f"a number from {least} on"
        elif value % groups:
            wanted = f"a multiple of groups, {groups}"
        else:
            continue
        raise ValueError(f"{type(made).__name__}: {name} is {value!r}, expected {wanted}")


def window_words(attributes: dict[str, Any]) -> list[str]:
    """Return how a printed layer tells of its filters, as far as they are not the usual ones."""
    words = [f"kernel_size={attributes['kernel']}", f"stride={attributes['stride']}"]
    if any(attributes["pad"]):
        words.append(f"padding={attributes['pad']}")
    if any(step != 1 for step in attributes["dilate"]):
        words.append(f"dilation={attributes['dilate']}")
    if attributes["num_group"] != 1:
        words.append(f"groups={attributes['num_group']}")
    return words


class ConvolutionLayer(HybridBlock):
    """Base class of all layers here; subclasses declare the number of spatial dimensions.

    Parameters
    ----------
    channels : int
        Channels of the output.
    window : tuple
        Kernel size, strides, padding, dilation and groups.
    layout : str
    activation : str, optional
    parameters : tuple
        Whether there is a bias, the initializers of weight and bias, and the input's channels.
    prefix, params
        As those of every block.
    """

    _operator: ClassVar[str] = "Convolution"
    _layouts: ClassVar[Sequence[str]] = ()

    def __init__(
        self,
        channels: int,
        window: Window,
        layout: str,
        activation: str | None,
        parameters: Parameters,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        kernel_size, strides, padding, dilation, groups = window
        use_bias, weight_initializer, bias_initializer, in_channels = parameters
        if layout not in self._layouts:
            known = " or ".join(map(repr, self._layouts))
            raise ValueError(f"{type(self).__name__}: layout is {layout!r}, expected {known}")
        check_channels(self, channels, in_channels, groups)
        self._kwargs: dict[str, Any] = {
            "kernel": self._lengths("kernel_size", kernel_size, 1),
            "stride": self._lengths("strides", strides, 1),
            "dilate": self._lengths("dilation", dilation, 1),
            "pad": self._lengths("padding", padding),
            "num_filter": channels,
            "num_group": groups,
            "no_bias": not use_bias,
            "layout": layout,
        }
        with self.name_scope():
            self.weight = self.params.get(
                "weight",
                shape=self._weight_shape(in_channels),
                init=weight_initializer,
                allow_deferred_init=True,
            )
            self.bias = None
            if use_bias:
                self.bias = self.params.get(
                    "bias", shape=(channels,), init=bias_initializer, allow_deferred_init=True
                )
            self.act = None
            if activation is not None:
                self.act = nn.Activation(activation, prefix=activation + "_")

    def _lengths(self, name: str, value: Lengths, least: int = 0) -> Sequence[int]:
        """Return one number for each dimension of space."""
        return lengths(self, name, value, len(self._layouts[0]) - 2, least)

    def _weight_shape(self, in_channels: int) -> tuple[int, ...]:
        """Return the weight's shape; 0 stands for what the first input tells."""
        said = self._kwargs
        return self._laid_out(said["num_filter"], in_channels // said["num_group"])

    def _laid_out(self, filters: int, inner: int) -> tuple[int, ...]:
        """Return the shape of a weight of so many filters of so many channels."""
        kernel = self._kwargs["kernel"]
        if self._kwargs["layout"].endswith("C"):
            return (filters, *kernel, inner)
        return (filters, inner, *kernel)

    def hybrid_forward(self, F: Any, x: Any, weight: Any, bias: Any = None) -> Any:
        """Return the layer's output for `x`."""
        inputs = (x, weight) if bias is None else (x, weight, bias)
        out = getattr(F, self._operator)(*inputs, name="fwd", **self._kwargs)
        return out if self.act is None else self.act(out)

    def _alias(self) -> str:
        return "conv"

    def __repr__(self) -> str:
        said = self._kwargs
        shape = self.weight.shape or ()
        words = [f"{shape[said['layout'].index('C')] or None} -> {shape[0]}"]
        words += window_words(said)
        if self.bias is None:
            words.append("bias=False")
        if self.act is not None:
            words.append(str(self.act))
        return f"{type(self).__name__}({', '.join(words)})"


class Conv1D(ConvolutionLayer):
    """Convolution of signals, (n, channels, width).

    Parameters
    ----------
    layout : str, default "NCW"
        "NWC" for channels that come last.
    channels, kernel_size, strides, padding, dilation, groups
        As those of `Conv2D`.
    activation, use_bias, weight_initializer, bias_initializer, in_channels
        As those of `Conv2D`.

    Examples
    --------
    >>> from opforge import gluon, nd
    >>> layer = gluon.nn.Conv1D(8, kernel_size=3)
    >>> layer.initialize()
    >>> layer(nd.ones((2, 4, 6))).shape
    (2, 8, 4)
    """

    _layouts = ("NCW", "NWC")

    def __init__(
        self,
        channels: int,
        kernel_size: Lengths,
        strides: Lengths = 1,
        padding: Lengths = 0,
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
        super().__init__(channels, window, layout, activation, parameters, **kwargs)


class Conv2D(ConvolutionLayer):
    """Convolution of images, (n, channels, height, width).

    Parameters
    ----------
    channels : int
        Channels of the output.
    kernel_size : int or tuple of int
        Lengths of a filter.
    strides : int or tuple of int, default 1
        Steps from one place of a filter to the next.
    padding : int or tuple of int, default 0
        Zeros on both sides of the input.
    dilation : int or tuple of int, default 1
        Steps between the elements of a filter.
    groups : int, default 1
        Groups of channels that do not see each other.
    layout : str, default "NCHW"
        "NHWC" for channels that come last.
    activation : str, optional
        Name for the ``Activation`` layer (from opforge-sigmoid); None: linear.
    use_bias : bool, default True
    weight_initializer, bias_initializer : Initializer or str, optional
        Default: the one given to ``initialize()``, and zeros for the bias.
    in_channels : int, default 0
        Channels of the input; 0: taken from the first input.

    Examples
    --------
    >>> from opforge import gluon, nd
    >>> layer = gluon.nn.Conv2D(8, kernel_size=3)
    >>> layer.initialize()
    >>> layer(nd.ones((2, 4, 6, 6))).shape
    (2, 8, 4, 4)
    """

    _layouts = ("NCHW", "NHWC")

    def __init__(
        self,
        channels: int,
        kernel_size: Lengths,
        strides: Lengths = (1, 1),
        padding: Lengths = (0, 0),
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
        super().__init__(channels, window, layout, activation, parameters, **kwargs)


class Conv3D(ConvolutionLayer):
    """Convolution of volumes, (n, channels, depth, height, width).

    Parameters
    ----------
    layout : str, default "NCDHW"
        "NDHWC" for channels that come last.
    channels, kernel_size, strides, padding, dilation, groups
        As those of `Conv2D`.
    activation, use_bias, weight_initializer, bias_initializer, in_channels
        As those of `Conv2D`.

    Examples
    --------
    >>> from opforge import gluon, nd
    >>> layer = gluon.nn.Conv3D(8, kernel_size=3)
    >>> layer.initialize()
    >>> layer(nd.ones((2, 4, 6, 6, 6))).shape
    (2, 8, 4, 4, 4)
    """

    _layouts = ("NCDHW", "NDHWC")

    def __init__(
        self,
        channels: int,
        kernel_size: Lengths,
        strides: Lengths = (1, 1, 1),
        padding: Lengths = (0, 0, 0),
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
        super().__init__(channels, window, layout, activation, parameters, **kwargs)


LAYERS = (Conv1D, Conv2D, Conv3D)
