"""AlexNet (Krizhevsky, "One weird trick for parallelizing convolutional neural networks")."""

from typing import Any

from opforge.plugin_api import nn

from .building import Network, chain, prepared

__all__ = ["AlexNet", "alexnet"]


class AlexNet(Network):
    """AlexNet: five convolutions and three dense layers, for pictures of 224x224.

    Source: https://arxiv.org/abs/1404.5997

    Parameters
    ----------
    classes : int, default 1000
    """

    def __init__(self, classes: int = 1000, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.features = chain(
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
            self.output = nn.Dense(classes)


def _convolution(channels: int, kernel: int, **attributes: Any) -> Any:
    return nn.Conv2D(channels, kernel, activation="relu", **attributes)


def alexnet(pretrained: bool = False, ctx: Any = None, root: Any = None, **kwargs: Any) -> AlexNet:
    """Return AlexNet, for pictures of 224x224.

    Parameters
    ----------
    pretrained : bool, default False
        Whether to load parameters from a file.
    ctx : Context, optional
        Where these lie.
    root : str, optional
        Folder of the file; the default is that of `model_store.get_model_file`.
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
    return prepared(AlexNet(**kwargs), "alexnet", pretrained, ctx, root)
