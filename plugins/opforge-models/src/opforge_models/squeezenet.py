"""SqueezeNet (Iandola et al., "AlexNet-level accuracy with 50x fewer parameters")."""

from typing import Any

from opforge.plugin_api import nn

from .building import Network, chain, prepared, side_by_side

__all__ = ["SqueezeNet", "get_squeezenet", "squeezenet1_0", "squeezenet1_1"]

#: Version -> channels and size of the first kernel, then channels that each fire module squeezes
#: into; None is a pooling.
_SPECIFICATIONS = {
    "1.0": (96, 7, (None, 16, 16, 32, None, 32, 48, 48, 64, None, 64)),
    "1.1": (64, 3, (None, 16, 16, None, 32, 32, None, 48, 48, 64, 64)),
}


class SqueezeNet(Network):
    """SqueezeNet: 1x1 convolutions that squeeze, 1x1 and 3x3 ones that expand by four each.

    Source: https://arxiv.org/abs/1602.07360

    Parameters
    ----------
    version : {"1.0", "1.1"}
        1.1 needs 2.4 times less computation.
    classes : int, default 1000
    """

    def __init__(self, version: str, classes: int = 1000, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if version not in _SPECIFICATIONS:
            raise AssertionError(f"Unsupported SqueezeNet version {version}: 1.0 or 1.1 expected")
        channels, kernel, squeezes = _SPECIFICATIONS[version]
        with self.name_scope():
            self.features = chain(
                nn.Conv2D(channels, kernel_size=kernel, strides=2), nn.Activation("relu")
            )
            for squeezed in squeezes:
                self.features.add(_pooling() if squeezed is None else _fire(squeezed))
            self.features.add(nn.Dropout(0.5))
            self.output = chain(
                nn.Conv2D(classes, kernel_size=1),
                nn.Activation("relu"),
                nn.AvgPool2D(13),
                nn.Flatten(),
            )


def _pooling() -> Any:
    return nn.MaxPool2D(pool_size=3, strides=2, ceil_mode=True)


def _fire(squeezed: int) -> Any:
    return chain(
        _convolution(squeezed, 1),
        side_by_side(_convolution(4 * squeezed, 1), _convolution(4 * squeezed, 3, padding=1)),
    )


def _convolution(channels: int, kernel: int, padding: int = 0) -> Any:
    return chain(nn.Conv2D(channels, kernel, padding=padding), nn.Activation("relu"))


def get_squeezenet(
    version: str, pretrained: bool = False, ctx: Any = None, root: Any = None, **kwargs: Any
) -> SqueezeNet:
    """Return the SqueezeNet of a version.

    Parameters
    ----------
    version : {"1.0", "1.1"}
    pretrained : bool, default False
        Whether to load parameters from a file.
    ctx : Context, optional
        Where these lie.
    root : str, optional
        Folder of the file; the default is that of `model_store.get_model_file`.
    **kwargs
        Arguments of `SqueezeNet`.
    """
    net = SqueezeNet(version, **kwargs)
    return prepared(net, f"squeezenet{version}", pretrained, ctx, root)


def squeezenet1_0(**kwargs: Any) -> SqueezeNet:
    """Return SqueezeNet 1.0; the arguments are those of `get_squeezenet`."""
    return get_squeezenet("1.0", **kwargs)


def squeezenet1_1(**kwargs: Any) -> SqueezeNet:
    """Return SqueezeNet 1.1; the arguments are those of `get_squeezenet`."""
    return get_squeezenet("1.1", **kwargs)
