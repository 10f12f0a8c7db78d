"""Convolution layers, and the base class that transposed convolution layers share."""

import inspect
from collections.abc import Sequence
from numbers import Integral
from typing import Any, ClassVar

from opforge.plugin_api import HybridBlock, nn

#: One number for all spatial dimensions, or one for each.
Lengths = int | Sequence[int]


def lengths(
    layer: HybridBlock, name: str, value: Lengths, dims: int, least: int = 0
) -> Sequence[int]:
    """Return a layer's argument as one number for each of `dims` spatial dimensions."""
    given: Any = (int(value),) * dims if isinstance(value, Integral) else value
    if (
        isinstance(given, Sequence)
        and len(given) == dims
        and all(isinstance(item, Integral) and int(item) >= least for item in given)
    ):
        return given
    expected = f"an integer of at least {least}" + (f", or {dims} of them" if dims > 1 else "")
    raise ValueError(f"{type(layer).__name__}: {name} is {value!r}; expected {expected}")


def check_channels(layer: HybridBlock, channels: int, in_channels: int, groups: int) -> None:
    """Validate numbers of channels, which groups must divide; `in_channels` 0 is unknown."""
    counts = {"groups": (groups, 1), "channels": (channels, 1), "in_channels": (in_channels, 0)}
    for name, (value, least) in counts.items():
        if not isinstance(value, Integral) or value < least:
            expected = f"an integer of at least {least}"
        elif value % groups:
            expected = f"a multiple of groups, {groups}"
        else:
            continue
        raise ValueError(f"{type(layer).__name__}: {name} is {value!r}; expected {expected}")


def window_words(attributes: dict[str, Any]) -> list[str]:
    """Return the window attributes shown in `repr`, without those that have default values."""
    words = [f"kernel_size={attributes['kernel']}", f"stride={attributes['stride']}"]
    if any(attributes["pad"]):
        words.append(f"padding={attributes['pad']}")
    if any(step != 1 for step in attributes["dilate"]):
        words.append(f"dilation={attributes['dilate']}")
    if attributes["num_group"] != 1:
        words.append(f"groups={attributes['num_group']}")
    return words


def spatial_signature(cls: type[HybridBlock], layout: str) -> inspect.Signature:
    """Return the signature of a class with the constructor's defaults for its dimensions."""
    _, *parameters = inspect.signature(cls.__init__).parameters.values()
    defaults: dict[str, Any] = {"layout": layout}
    if len(layout) > 3:
        one_for_all = [
            p for p in parameters if p.annotation == Lengths and p.default is not p.empty
        ]
        defaults |= {p.name: (p.default,) * (len(layout) - 2) for p in one_for_all}
    return inspect.Signature(
        [p.replace(default=defaults.get(p.name, p.default)) for p in parameters],
        return_annotation=None,
    )


class ConvolutionLayer(HybridBlock):
    """Base class of all layers here; subclasses declare the number of spatial dimensions.

    Parameters
    ----------
    channels, kernel_size, strides, padding, dilation, groups
        As for `Conv2D`.
    layout : str, optional
        Order of the axes; None: channels first.
    activation, use_bias, weight_initializer, bias_initializer, in_channels
        As for `Conv2D`.
    prefix, params
        As for every block.
    """

    _operator: ClassVar[str] = "Convolution"
    _layouts: ClassVar[Sequence[str]] = ()
    __signature__: ClassVar[inspect.Signature | None] = None

    def __init__(
        self,
        channels: int,
        kernel_size: Lengths,
        strides: Lengths = 1,
        padding: Lengths = 0,
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
        super().__init__(**kwargs)
        layout = self._layouts[0] if layout is None else layout
        if layout not in self._layouts:
            known = " or ".join(map(repr, self._layouts))
            raise ValueError(f"{type(self).__name__}: layout is {layout!r}; expected {known}")
        if not isinstance(activation, str | None):
            raise TypeError(
                f"{type(self).__name__}: activation is {activation!r}; "
                "expected a name such as 'relu'"
            )
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

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        inherited = "__init__" not in vars(cls)
        cls.__signature__ = spatial_signature(cls, cls._layouts[0]) if inherited else None

    def _lengths(self, name: str, value: Lengths, least: int = 0) -> Sequence[int]:
        """Return an argument as one number for each spatial dimension."""
        return lengths(self, name, value, len(self._layouts[0]) - 2, least)

    def _weight_shape(self, in_channels: int) -> tuple[int, ...]:
        """Return the weight's shape; 0 is inferred from the first input."""
        attributes = self._kwargs
        return self._filter_shape(attributes["num_filter"], in_channels // attributes["num_group"])

    def _filter_shape(self, filters: int, inner: int) -> tuple[int, ...]:
        """Return the shape of a weight with `filters` filters of `inner` channels in the layout."""
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
        attributes = self._kwargs
        shape = self.weight.shape or ()
        words = [f"{shape[attributes['layout'].index('C')] or None} -> {shape[0]}"]
        words += window_words(attributes)
        if self.bias is None:
            words.append("bias=False")
        if self.act is not None:
            words.append(str(self.act))
        return f"{type(self).__name__}({', '.join(words)})"


class Conv1D(ConvolutionLayer):
    """1D convolution over signals of shape (n, channels, width).

    Parameters
    ----------
    channels, kernel_size, strides, padding, dilation, groups, activation, use_bias, \
weight_initializer, bias_initializer, in_channels
        As for `Conv2D`.
    layout : {"NCW", "NWC"}

    Examples
    --------
    >>> from opforge import gluon, nd
    >>> layer = gluon.nn.Conv1D(8, kernel_size=3)
    >>> layer.initialize()
    >>> layer(nd.ones((2, 4, 6))).shape
    (2, 8, 4)
    """

    _layouts = ("NCW", "NWC")


class Conv2D(ConvolutionLayer):
    """2D convolution over images of shape (n, channels, height, width).

    Parameters
    ----------
    channels : int
        Channels of the output.
    kernel_size : int or tuple of int
        Size of a filter.
    strides : int or tuple of int, default 1
        Steps between positions of the filter.
    padding : int or tuple of int, default 0
        Zeros added on both sides of the input.
    dilation : int or tuple of int, default 1
        Steps between the elements of a filter.
    groups : int, default 1
        Number of independent groups of channels.
    layout : {"NCHW", "NHWC"}
    activation : str, optional
        Name for the ``Activation`` layer (from opforge-sigmoid); None: linear.
    use_bias : bool, default True
    weight_initializer, bias_initializer : Initializer or str, optional
        Default: the initializer given to ``initialize()``, and zeros for the bias.
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


class Conv3D(ConvolutionLayer):
    """3D convolution over volumes of shape (n, channels, depth, height, width).

    Parameters
    ----------
    channels, kernel_size, strides, padding, dilation, groups, activation, use_bias, \
weight_initializer, bias_initializer, in_channels
        As for `Conv2D`.
    layout : {"NCDHW", "NDHWC"}

    Examples
    --------
    >>> from opforge import gluon, nd
    >>> layer = gluon.nn.Conv3D(8, kernel_size=3)
    >>> layer.initialize()
    >>> layer(nd.ones((2, 4, 6, 6, 6))).shape
    (2, 8, 4, 4, 4)
    """

    _layouts = ("NCDHW", "NDHWC")
