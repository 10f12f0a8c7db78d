"""AlexNet (Krizhevsky, "One weird trick for parallelizing convolutional neural networks")."""

from collections.abc import Iterable
from typing import Any

from opforge.plugin_api import nn

from .building import ClassifiedFeatures, load_pretrained

__all__ = ["AlexNet", "alexnet"]


class AlexNet(ClassifiedFeatures):
    """AlexNet: five convolutions and three dense layers for images of 224x224.

    Source: https://arxiv.org/abs/1404.5997

    Parameters
    ----------
    classes : int, default 1000
    """

    def _feature_layers(self) -> Iterable[Any]:
        return (
            _convolution(64, 11, strides=4, padding=2),
            nn.MaxPool2D(pool_size=3, strides=2),
            _convolution(192, 5, padding=2),
            nn.MaxPool2D(pool_size=3, strides=2),
            _convolution(384, 3, padding=1),
            _convolution(256, 3, padding=1),
            _convolution(256, 3, padding=1),
            nn.MaxPool2D(pool_size=3, strides=2),
            nn.Flatten(),
            nn.Dense(4096, activation="relu"),
            nn.Dropout(0.5),
            nn.Dense(4096, activation="relu"),
            nn.Dropout(0.5),
        )


def _convolution(channels: int, kernel: int, **attributes: Any) -> Any:
    return nn.Conv2D(channels, kernel, activation="relu", **attributes)


def alexnet(pretrained: bool = False, ctx: Any = None, root: Any = None, **kwargs: Any) -> AlexNet:
    """Return AlexNet for images of 224x224.

    Parameters
    ----------
    pretrained, ctx, root
        As for `get_resnet`.
    **kwargs
        Arguments of `AlexNet`.

    Examples
    --------
    >>> from opforge import gluon, init, nd
    >>> net = gluon.model_zoo.vision.alexnet(classes=10)
    >>> net.initialize(init.Xavier())
    >>> net(nd.ones((1, 3, 224, 224))).shape
    (1, 10)
    """
    return load_pretrained(AlexNet(**kwargs), "alexnet", pretrained, ctx, root)
