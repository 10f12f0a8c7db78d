"""Deformable convolution layers, which MXNet has in ``gluon.contrib.cnn``."""

from typing import Any, ClassVar

from opforge.plugin_api import HybridBlock, nn

from .layers import Lengths, check_channels, lengths, window_words


class DeformableConvolution(HybridBlock):
    """Deformable convolution, with offsets computed by a convolution of the input.

    Parameters
    ----------
    channels : int
        Channels of the output.
    kernel_size : int or tuple of int, default 1
        Size of a filter.
    strides, padding, dilation, groups
        As for `Conv2D`, applied to both convolutions.
    num_deformable_group : int, default 1
        Groups of channels that share offsets.
    layout : {"NCHW"}
    use_bias, in_channels, activation, weight_initializer, bias_initializer
        As for `Conv2D`.
    offset_weight_initializer, offset_bias_initializer : Initializer or str
        Default zeros, so that all offsets are initially 0.
    offset_use_bias : bool, default True
        Whether the convolution that computes the offsets has a bias.

    Examples
    --------
    >>> from opforge import gluon, nd
    >>> layer = gluon.contrib.cnn.DeformableConvolution(8, kernel_size=3, padding=1)
    >>> layer.initialize()
    >>> layer(nd.ones((2, 4, 6, 6))).shape
    (2, 8, 6, 6)
    """

    _operator: ClassVar[str] = "DeformableConvolution"
    #: Outputs of the offset convolution per element of a filter.
    _fields: ClassVar[int] = 2

    def __init__(
        self,
        channels: int,
        kernel_size: Lengths = (1, 1),
        strides: Lengths = (1, 1),
        padding: Lengths = (0, 0),
        dilation: Lengths = (1, 1),
        groups: int = 1,
        num_deformable_group: int = 1,
        layout: str = "NCHW",
        use_bias: bool = True,
        in_channels: int = 0,
        activation: str | None = None,
        weight_initializer: Any = None,
        bias_initializer: Any = "zeros",
        offset_weight_initializer: Any = "zeros",
        offset_bias_initializer: Any = "zeros",
        offset_use_bias: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if layout != "NCHW":
            raise ValueError(f"{type(self).__name__}: layout is {layout!r}; expected 'NCHW'")
        check_channels(self, channels, in_channels, groups)
        kernel = lengths(self, "kernel_size", kernel_size, 2, 1)
        self._window: dict[str, Any] = {
            "kernel": kernel,
            "stride": lengths(self, "strides", strides, 2, 1),
            "dilate": lengths(self, "dilation", dilation, 2, 1),
            "pad": lengths(self, "padding", padding, 2),
            "num_group": groups,
        }
        self._channels, self._moved = channels, num_deformable_group
        shape = (in_channels // groups, *kernel)
        with self.name_scope():
            self.offset_weight = self._parameter(
                "offset_weight", (self._n_offsets(self._fields), *shape), offset_weight_initializer
            )
            self.offset_bias = None
            if offset_use_bias:
                self.offset_bias = self._parameter(
                    "offset_bias", (self._n_offsets(self._fields),), offset_bias_initializer
                )
            self.deformable_conv_weight = self._parameter(
                "deformable_conv_weight", (channels, *shape), weight_initializer
            )
            self.deformable_conv_bias = None
            if use_bias:
                self.deformable_conv_bias = self._parameter(
                    "deformable_conv_bias", (channels,), bias_initializer
                )
            self.act = None
            if activation is not None:
                self.act = nn.Activation(activation, prefix=activation + "_")

    def _parameter(self, name: str, shape: tuple[int, ...], init: Any) -> Any:
        return self.params.get(name, shape=shape, init=init, allow_deferred_init=True)

    def _n_offsets(self, fields: int) -> int:
        """Return the number of channels for `fields` numbers per displaced element."""
        rows, columns = self._window["kernel"]
        return fields * self._moved * int(rows) * int(columns)

    def hybrid_forward(
        self,
        F: Any,
        x: Any,
        offset_weight: Any,
        deformable_conv_weight: Any,
        offset_bias: Any = None,
        deformable_conv_bias: Any = None,
    ) -> Any:
        """Return the layer's output for `x`."""
        moved = _convolve_with_bias(
            F.Convolution,
            [x, offset_weight],
            offset_bias,
            num_filter=self._n_offsets(self._fields),
            **self._window,
        )
        out = _convolve_with_bias(
            getattr(F.contrib, self._operator),
            [x, *self._divided(F, moved), deformable_conv_weight],
            deformable_conv_bias,
            num_filter=self._channels,
            num_deformable_group=self._moved,
            name="fwd",
            **self._window,
        )
        return out if self.act is None else self.act(out)

    def _divided(self, F: Any, moved: Any) -> list[Any]:
        """Split the output of the offset convolution into inputs of the deformable one."""
        return [moved]

    def _alias(self) -> str:
        return "deformable_conv"

    def __repr__(self) -> str:
        _, inner, *_ = self.deformable_conv_weight.shape or (0, 0)
        words = [f"{inner or None} -> {self._channels}", *window_words(self._window)]
        if self.deformable_conv_bias is None:
            words.append("bias=False")
        if self.act is not None:
            words.append(str(self.act))
        return f"{type(self).__name__}({', '.join(words)})"


def _convolve_with_bias(function: Any, inputs: list[Any], bias: Any, **attributes: Any) -> Any:
    """Return the output of a convolution with or without a bias."""
    given = inputs if bias is None else [*inputs, bias]
    return function(*given, no_bias=bias is None, **attributes)


class ModulatedDeformableConvolution(DeformableConvolution):
    """Deformable convolution that also multiplies each sample by a learned mask from 0 to 2.

    Parameters
    ----------
    channels, kernel_size, strides, padding, dilation, groups, num_deformable_group, layout
        As for `DeformableConvolution`.
    use_bias, in_channels, activation, weight_initializer, bias_initializer
        As for `DeformableConvolution`.
    offset_weight_initializer, offset_bias_initializer, offset_use_bias
        As for `DeformableConvolution`.

    Examples
    --------
    >>> from opforge import gluon, nd
    >>> layer = gluon.contrib.cnn.ModulatedDeformableConvolution(8, kernel_size=3, padding=1)
    >>> layer.initialize()
    >>> layer(nd.ones((2, 4, 6, 6))).shape
    (2, 8, 6, 6)
    """

    _operator = "ModulatedDeformableConvolution"
    _fields = 3

    def _divided(self, F: Any, moved: Any) -> list[Any]:
        """Return the offsets and the mask, which ranges from 0 to 2."""
        border = self._n_offsets(2)
        mask = F.sigmoid(F.slice_axis(moved, axis=1, begin=border, end=None)) * 2
        return [F.slice_axis(moved, axis=1, begin=0, end=border), mask]

    def _alias(self) -> str:
        return "modulated_deformable_conv"
