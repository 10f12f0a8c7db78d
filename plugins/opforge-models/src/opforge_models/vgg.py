"""VGG (Simonyan and Zisserman, "Very Deep Convolutional Networks")."""

from collections.abc import Sequence
from typing import Any

from opforge.plugin_api import initializer, nn

from .building import Network, chain, of_depth, prepared

__all__ = [
    "VGG",
    "get_vgg",
    "vgg11",
    "vgg11_bn",
    "vgg13",
    "vgg13_bn",
    "vgg16",
    "vgg16_bn",
    "vgg19",
    "vgg19_bn",
]

_FILTERS = (64, 128, 256, 512, 512)
#: Layers -> convolutions of each stage.
_STAGES = {
    11: (1, 1, 2, 2, 2),
    13: (2, 2, 2, 2, 2),
    16: (2, 2, 3, 3, 3),
    19: (2, 2, 4, 4, 4),
}


class VGG(Network):
    """VGG: stages of 3x3 convolutions, and three dense layers.

    Source: https://arxiv.org/abs/1409.1556

    Parameters
    ----------
    layers, filters : sequence of int
        Convolutions of each stage, and their channels.
    classes : int, default 1000
    batch_norm : bool, default False
        Whether a batch norm follows each convolution.
    """

    def __init__(
        self,
        layers: Sequence[int],
        filters: Sequence[int],
        classes: int = 1000,
        batch_norm: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.features = chain()
            for count, channels in zip(layers, filters, strict=True):
                for _ in range(count):
                    self.features.add(_convolution(channels))
                    if batch_norm:
                        self.features.add(nn.BatchNorm())
                    self.features.add(nn.Activation("relu"))
                self.features.add(nn.MaxPool2D(strides=2))
            for _ in range(2):
                self.features.add(_dense(4096, activation="relu"), nn.Dropout(rate=0.5))
            self.output = _dense(classes)


def _convolution(channels: int) -> Any:
    scaled = initializer.Xavier(rnd_type="gaussian", factor_type="out", magnitude=2)
    return nn.Conv2D(channels, kernel_size=3, padding=1, weight_initializer=scaled)


def _dense(units: int, activation: str | None = None) -> Any:
    return nn.Dense(units, activation=activation, weight_initializer="normal")


def get_vgg(
    num_layers: int, pretrained: bool = False, ctx: Any = None, root: Any = None, **kwargs: Any
) -> VGG:
    """Return the VGG of so many layers.

    Parameters
    ----------
    num_layers : {11, 13, 16, 19}
    pretrained : bool, default False
        Whether to load parameters from a file.
    ctx : Context, optional
        Where these lie.
    root : str, optional
        Folder of the file; the default is that of `model_store.get_model_file`.
    **kwargs
        Arguments of `VGG`.
    """
    net = VGG(of_depth(_STAGES, num_layers), _FILTERS, **kwargs)
    suffix = "_bn" if kwargs.get("batch_norm") else ""
    return prepared(net, f"vgg{num_layers}{suffix}", pretrained, ctx, root)


def vgg11(**kwargs: Any) -> VGG:
    """Return VGG-11; the arguments are those of `get_vgg`."""
    return get_vgg(11, **kwargs)


def vgg13(**kwargs: Any) -> VGG:
    """Return VGG-13; the arguments are those of `get_vgg`."""
    return get_vgg(13, **kwargs)


def vgg16(**kwargs: Any) -> VGG:
    """Return VGG-16; the arguments are those of `get_vgg`."""
    return get_vgg(16, **kwargs)


def vgg19(**kwargs: Any) -> VGG:
    """Return VGG-19; the arguments are those of `get_vgg`."""
    return get_vgg(19, **kwargs)


def vgg11_bn(**kwargs: Any) -> VGG:
    """Return VGG-11 with batch norms; the arguments are those of `get_vgg`."""
    return get_vgg(11, batch_norm=True, **kwargs)


def vgg13_bn(**kwargs: Any) -> VGG:
    """Return VGG-13 with batch norms; the arguments are those of `get_vgg`."""
    return get_vgg(13, batch_norm=True, **kwargs)


def vgg16_bn(**kwargs: Any) -> VGG:
    """Return VGG-16 with batch norms; the arguments are those of `get_vgg`."""
    return get_vgg(16, batch_norm=True, **kwargs)


def vgg19_bn(**kwargs: Any) -> VGG:
    """Return VGG-19 with batch norms; the arguments are those of `get_vgg`."""
    return get_vgg(19, batch_norm=True, **kwargs)
