"""VGG (Simonyan and Zisserman, "Very Deep Convolutional Networks")."""

from collections.abc import Sequence
from typing import Any

from opforge.plugin_api import initializer, nn

from .building import Network, chain, load_pretrained, preset, specification_of

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

_FILTERS = [64, 128, 256, 512, 512]
#: Number of layers -> convolutions per stage, and their channels.
vgg_spec = {
    11: ([1, 1, 2, 2, 2], _FILTERS),
    13: ([2, 2, 2, 2, 2], _FILTERS),
    16: ([2, 2, 3, 3, 3], _FILTERS),
    19: ([2, 2, 4, 4, 4], _FILTERS),
}


class VGG(Network):
    """VGG: stages of 3x3 convolutions and three dense layers.

    Source: https://arxiv.org/abs/1409.1556

    Parameters
    ----------
    layers, filters : sequence of int
        Number of convolutions in each stage, and their channels.
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
    """Return the VGG with `num_layers` layers.

    Parameters
    ----------
    num_layers : {11, 13, 16, 19}
    pretrained, ctx, root
        As for `get_resnet`.
    **kwargs
        Arguments of `VGG`.
    """
    net = VGG(*specification_of(vgg_spec, num_layers), **kwargs)
    suffix = "_bn" if kwargs.get("batch_norm") else ""
    return load_pretrained(net, f"vgg{num_layers}{suffix}", pretrained, ctx, root)


vgg11 = preset(get_vgg, "vgg11", "VGG-11", 11)
vgg13 = preset(get_vgg, "vgg13", "VGG-13", 13)
vgg16 = preset(get_vgg, "vgg16", "VGG-16", 16)
vgg19 = preset(get_vgg, "vgg19", "VGG-19", 19)
vgg11_bn = preset(get_vgg, "vgg11_bn", "VGG-11 with batch norms", 11, batch_norm=True)
vgg13_bn = preset(get_vgg, "vgg13_bn", "VGG-13 with batch norms", 13, batch_norm=True)
vgg16_bn = preset(get_vgg, "vgg16_bn", "VGG-16 with batch norms", 16, batch_norm=True)
vgg19_bn = preset(get_vgg, "vgg19_bn", "VGG-19 with batch norms", 19, batch_norm=True)
