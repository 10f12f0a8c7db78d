"""Residual blocks of ResNet, which add their result to their input."""

from typing import Any

from opforge.plugin_api import HybridBlock, nn

from .building import chain

__all__ = ["BasicBlockV1", "BasicBlockV2", "BottleneckV1", "BottleneckV2", "conv3x3"]


def conv3x3(channels: int, stride: int, in_channels: int) -> Any:
    """Return a 3x3 convolution without bias, padded to keep the image's size at stride 1."""
    return nn.Conv2D(
        channels, 3, strides=stride, padding=1, use_bias=False, in_channels=in_channels
    )


class _Residual(HybridBlock):
    """Layers with a shortcut, which is a convolution if input and result differ in shape."""

    def __init__(
        self,
        channels: int,
        stride: int,
        downsample: bool = False,
        in_channels: int = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self._make_layers(channels, stride, in_channels)
        self.downsample = self._shortcut(channels, stride, in_channels) if downsample else None

    def _make_layers(self, channels: int, stride: int, in_channels: int) -> None:
        raise NotImplementedError

    def _shortcut(self, channels: int, stride: int, in_channels: int) -> Any:
        return nn.Conv2D(channels, 1, stride, use_bias=False, in_channels=in_channels)


class _BlockV1(_Residual):
    """Convolutions followed by batch norms; the activation follows the addition."""

    #: Order of the addends, and so of the arguments of an exported network, as in MXNet.
    _residual_first = False

    def _make_layers(self, channels: int, stride: int, in_channels: int) -> None:
        self.body = chain(*self._layers(channels, stride, in_channels))

    def _layers(self, channels: int, stride: int, in_channels: int) -> list[Any]:
        raise NotImplementedError

    def _shortcut(self, channels: int, stride: int, in_channels: int) -> Any:
        return chain(super()._shortcut(channels, stride, in_channels), nn.BatchNorm())

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return the block's result for `x`."""
        residual = x if self.downsample is None else self.downsample(x)
        body = self.body(x)
        total = residual + body if self._residual_first else body + residual
        return F.Activation(total, act_type="relu")


class BasicBlockV1(_BlockV1):
    """Two 3x3 convolutions of ResNet-18 and 34, version 1; parameters as for `BottleneckV1`."""

    _residual_first = True

    def _layers(self, channels: int, stride: int, in_channels: int) -> list[Any]:
        return [
            conv3x3(channels, stride, in_channels),
            nn.BatchNorm(),
            nn.Activation("relu"),
            conv3x3(channels, 1, channels),
            nn.BatchNorm(),
        ]


class BottleneckV1(_BlockV1):
    """Bottleneck, version 1: a 3x3 convolution of fewer channels between 1x1 convolutions.

    Parameters
    ----------
    channels : int
        Number of output channels.
    stride : int
    downsample : bool, default False
        Whether input and result differ in shape; the shortcut is then a 1x1 convolution.
    in_channels : int, default 0
        Number of input channels; 0 infers it at the first call.
    """

    def _layers(self, channels: int, stride: int, in_channels: int) -> list[Any]:
        inner = channels // 4
        return [
            nn.Conv2D(inner, kernel_size=1, strides=stride),
            nn.BatchNorm(),
            nn.Activation("relu"),
            conv3x3(inner, 1, inner),
            nn.BatchNorm(),
            nn.Activation("relu"),
            nn.Conv2D(channels, kernel_size=1, strides=1),
            nn.BatchNorm(),
        ]


class _BlockV2(_Residual):
    """Convolutions preceded by batch norm and activation; nothing follows the addition."""

    def _layers(self) -> list[tuple[Any, Any]]:
        """Return pairs of a batch norm and its convolution."""
        raise NotImplementedError

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return the block's result for `x`."""
        residual = x
        for index, (norm, convolution) in enumerate(self._layers()):
            x = F.Activation(norm(x), act_type="relu")
            if index == 0 and self.downsample is not None:
                residual = self.downsample(x)
            x = convolution(x)
        return x + residual


class BasicBlockV2(_BlockV2):
    """Two 3x3 convolutions of ResNet-18 and 34, version 2; parameters as for `BottleneckV1`."""

    def _make_layers(self, channels: int, stride: int, in_channels: int) -> None:
        self.bn1 = nn.BatchNorm()
        self.conv1 = conv3x3(channels, stride, in_channels)
        self.bn2 = nn.BatchNorm()
        self.conv2 = conv3x3(channels, 1, channels)

    def _layers(self) -> list[tuple[Any, Any]]:
        return [(self.bn1, self.conv1), (self.bn2, self.conv2)]


class BottleneckV2(_BlockV2):
    """Bottleneck, version 2; parameters as for `BottleneckV1`."""

    def _make_layers(self, channels: int, stride: int, in_channels: int) -> None:
        inner = channels // 4
        self.bn1 = nn.BatchNorm()
        self.conv1 = nn.Conv2D(inner, kernel_size=1, strides=1, use_bias=False)
        self.bn2 = nn.BatchNorm()
        self.conv2 = conv3x3(inner, stride, inner)
        self.bn3 = nn.BatchNorm()
        self.conv3 = nn.Conv2D(channels, kernel_size=1, strides=1, use_bias=False)

    def _layers(self) -> list[tuple[Any, Any]]:
        return [(self.bn1, self.conv1), (self.bn2, self.conv2), (self.bn3, self.conv3)]
