"""MobileNet, versions 1 and 2 (Howard et al.; Sandler et al.)."""

from typing import Any

from opforge.plugin_api import HybridBlock, nn

from .building import Network, load_pretrained, preset

__all__ = [
    "RELU6",
    "LinearBottleneck",
    "MobileNet",
    "MobileNetV2",
    "get_mobilenet",
    "get_mobilenet_v2",
    "mobilenet0_5",
    "mobilenet0_25",
    "mobilenet0_75",
    "mobilenet1_0",
    "mobilenet_v2_0_5",
    "mobilenet_v2_0_25",
    "mobilenet_v2_0_75",
    "mobilenet_v2_1_0",
]

#: Version 1: channels and stride of each depthwise separable convolution.
_SEPARABLE = [(64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), *[(512, 1)] * 5]
_SEPARABLE += [(1024, 2), (1024, 1)]
#: Version 2: channels, stride of the first bottleneck and number of bottlenecks in each stage.
_BOTTLENECKS = [
    (16, 1, 1),
    (24, 2, 2),
    (32, 2, 3),
    (64, 2, 4),
    (96, 1, 3),
    (160, 2, 3),
    (320, 1, 1),
]


class RELU6(HybridBlock):
    """ReLU clipped to [0, 6]."""

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return `x` clipped to [0, 6]."""
        return F.clip(x, 0, 6, name="relu6")


class MobileNet(Network):
    """MobileNet, built from depthwise separable convolutions.

    Source: https://arxiv.org/abs/1704.04861

    Parameters
    ----------
    multiplier : float, default 1.0
        Scales the numbers of channels; at least 0.25.
    classes : int, default 1000
    """

    def __init__(self, multiplier: float = 1.0, classes: int = 1000, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.features = nn.HybridSequential(prefix="")
            before = int(32 * multiplier)
            self.features.add(*_convolution(before, 3, stride=2))
            for channels, stride in _SEPARABLE:
                after = int(channels * multiplier)
                self.features.add(*_convolution(before, 3, stride, groups=before))
                self.features.add(*_convolution(after))
                before = after
            self.features.add(nn.GlobalAvgPool2D(), nn.Flatten())
            self.output = nn.Dense(classes)


class LinearBottleneck(HybridBlock):
    """Inverted residual: a wide depthwise convolution between 1x1 ones, the last one linear.

    Parameters
    ----------
    in_channels, channels : int
    t : int
        Expansion factor: channels of the depthwise convolution per input channel.
    stride : int
    """

    def __init__(self, in_channels: int, channels: int, t: int, stride: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.use_shortcut = stride == 1 and in_channels == channels
        inner = in_channels * t
        with self.name_scope():
            self.out = nn.HybridSequential()
            self.out.add(*_convolution(inner, activation=RELU6))
            self.out.add(*_convolution(inner, 3, stride, groups=inner, activation=RELU6))
            self.out.add(*_convolution(channels, activation=None))

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return the block's result for `x`."""
        out = self.out(x)
        return F.elemwise_add(out, x) if self.use_shortcut else out


class MobileNetV2(Network):
    """MobileNet, version 2, built from inverted residuals with linear bottlenecks.

    Source: https://arxiv.org/abs/1801.04381

    Parameters
    ----------
    multiplier : float, default 1.0
        Scales the numbers of channels.
    classes : int, default 1000
    """

    def __init__(self, multiplier: float = 1.0, classes: int = 1000, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.features = nn.HybridSequential(prefix="features_")
            with self.features.name_scope():
                before = int(32 * multiplier)
                self.features.add(*_convolution(before, 3, stride=2, activation=RELU6))
                for stage, (channels, stride, count) in enumerate(_BOTTLENECKS):
                    after, times = int(channels * multiplier), 6 if stage else 1
                    for index in range(count):
                        step = 1 if index else stride
                        self.features.add(LinearBottleneck(before, after, times, step))
                        before = after
                last = int(1280 * max(multiplier, 1.0))
                self.features.add(*_convolution(last, activation=RELU6), nn.GlobalAvgPool2D())
            self.output = nn.HybridSequential(prefix="output_")
            with self.output.name_scope():
                self.output.add(nn.Conv2D(classes, 1, use_bias=False, prefix="pred_"), nn.Flatten())


def _rectifier() -> Any:
    return nn.Activation("relu")


def _convolution(
    channels: int,
    kernel: int = 1,
    stride: int = 1,
    groups: int = 1,
    activation: Any = _rectifier,
) -> list[Any]:
    """Return a convolution, padded to preserve the size at stride 1, with norm and activation."""
    layers = [
        nn.Conv2D(channels, kernel, stride, kernel // 2, groups=groups, use_bias=False),
        nn.BatchNorm(),
    ]
    return layers if activation is None else [*layers, activation()]


def _width_text(multiplier: float) -> str:
    """Return a multiplier as written in file names: 1.0, 0.75."""
    text = f"{multiplier:.2f}"
    return text[:-1] if text in ("1.00", "0.50") else text


def get_mobilenet(
    multiplier: float, pretrained: bool = False, ctx: Any = None, root: Any = None, **kwargs: Any
) -> MobileNet:
    """Return a MobileNet with the given width multiplier.

    Parameters
    ----------
    multiplier : float
        Scales the numbers of channels; at least 0.25.
    pretrained, ctx, root
        As for `get_resnet`.
    **kwargs
        Arguments of `MobileNet`.
    """
    net = MobileNet(multiplier, **kwargs)
    return load_pretrained(net, f"mobilenet{_width_text(multiplier)}", pretrained, ctx, root)


def get_mobilenet_v2(
    multiplier: float, pretrained: bool = False, ctx: Any = None, root: Any = None, **kwargs: Any
) -> MobileNetV2:
    """Return a MobileNet v2 with the given width multiplier.

    Parameters
    ----------
    multiplier : float
        Scales the numbers of channels.
    pretrained, ctx, root
        As for `get_resnet`.
    **kwargs
        Arguments of `MobileNetV2`.
    """
    net = MobileNetV2(multiplier, **kwargs)
    return load_pretrained(net, f"mobilenetv2_{_width_text(multiplier)}", pretrained, ctx, root)


mobilenet1_0 = preset(get_mobilenet, "mobilenet1_0", "MobileNet, width 1.0", 1.0)
mobilenet0_75 = preset(get_mobilenet, "mobilenet0_75", "MobileNet, width 0.75", 0.75)
mobilenet0_5 = preset(get_mobilenet, "mobilenet0_5", "MobileNet, width 0.5", 0.5)
mobilenet0_25 = preset(get_mobilenet, "mobilenet0_25", "MobileNet, width 0.25", 0.25)
mobilenet_v2_1_0 = preset(get_mobilenet_v2, "mobilenet_v2_1_0", "MobileNet v2, width 1.0", 1.0)
mobilenet_v2_0_75 = preset(get_mobilenet_v2, "mobilenet_v2_0_75", "MobileNet v2, width 0.75", 0.75)
mobilenet_v2_0_5 = preset(get_mobilenet_v2, "mobilenet_v2_0_5", "MobileNet v2, width 0.5", 0.5)
mobilenet_v2_0_25 = preset(get_mobilenet_v2, "mobilenet_v2_0_25", "MobileNet v2, width 0.25", 0.25)
