"""SqueezeNet (Iandola et al., "AlexNet-level accuracy with 50x fewer parameters")."""

from typing import Any

from opforge.plugin_api import nn

from .building import Network, chain, concatenate, load_pretrained, preset

__all__ = ["SqueezeNet", "get_squeezenet", "squeezenet1_0", "squeezenet1_1"]

#: Version -> channels and size of the first kernel, then squeeze channels of each fire module;
#: None stands for a pooling layer.
_SPECIFICATIONS = {
    "1.0": (96, 7, (None, 16, 16, 32, None, 32, 48, 48, 64, None, 64)),
    "1.1": (64, 3, (None, 16, 16, None, 32, 32, None, 48, 48, 64, 64)),
}


class SqueezeNet(Network):
    """SqueezeNet: 1x1 convolutions squeeze; 1x1 and 3x3 convolutions expand by four each.

    Source: https://arxiv.org/abs/1602.07360

    Parameters
    ----------
    version : {"1.0", "1.1"}
        Version 1.1 needs 2.4 times less computation.
    classes : int, default 1000
    """

    def __init__(self, version: str, classes: int = 1000, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if version not in _SPECIFICATIONS:
            raise AssertionError(f"Unsupported SqueezeNet version {version}; expected 1.0 or 1.1")
        channels, kernel, squeeze_channels = _SPECIFICATIONS[version]
        with self.name_scope():
            self.features = chain(
                nn.Conv2D(channels, kernel_size=kernel, strides=2), nn.Activation("relu")
            )
            for width in squeeze_channels:
                self.features.add(_pooling() if width is None else _fire(width))
            self.features.add(nn.Dropout(0.5))
            self.output = chain(
                nn.Conv2D(classes, kernel_size=1),
                nn.Activation("relu"),
                nn.AvgPool2D(13),
                nn.Flatten(),
            )


def _pooling() -> Any:
    return nn.MaxPool2D(pool_size=3, strides=2, ceil_mode=True)


def _fire(width: int) -> Any:
    return chain(
        _convolution(width, 1),
        concatenate(_convolution(4 * width, 1), _convolution(4 * width, 3, padding=1)),
    )


def _convolution(channels: int, kernel: int, padding: int = 0) -> Any:
    return chain(nn.Conv2D(channels, kernel, padding=padding), nn.Activation("relu"))


def get_squeezenet(
    version: str, pretrained: bool = False, ctx: Any = None, root: Any = None, **kwargs: Any
) -> SqueezeNet:
    """Return a SqueezeNet of the given version.

    Parameters
    ----------
    version : {"1.0", "1.1"}
    pretrained, ctx, root
        As for `get_resnet`.
    **kwargs
        Arguments of `SqueezeNet`.
    """
    net = SqueezeNet(version, **kwargs)
    return load_pretrained(net, f"squeezenet{version}", pretrained, ctx, root)


squeezenet1_0 = preset(get_squeezenet, "squeezenet1_0", "SqueezeNet 1.0", "1.0")
squeezenet1_1 = preset(get_squeezenet, "squeezenet1_1", "SqueezeNet 1.1", "1.1")
