"""DenseNet (Huang et al., "Densely Connected Convolutional Networks")."""

from collections.abc import Sequence
from typing import Any

from opforge.plugin_api import nn

from .building import Network, chain, concatenate, load_pretrained, preset, specification_of

__all__ = [
    "DenseNet",
    "densenet121",
    "densenet161",
    "densenet169",
    "densenet201",
    "get_densenet",
]

#: Number of layers -> channels of the first convolution, growth rate, layers per block.
densenet_spec = {
    121: (64, 32, [6, 12, 24, 16]),
    161: (96, 48, [6, 12, 36, 24]),
    169: (64, 32, [6, 12, 32, 32]),
    201: (64, 32, [6, 12, 48, 32]),
}


class DenseNet(Network):
    """DenseNet-BC: each layer of a block receives the outputs of all previous layers.

    Source: https://arxiv.org/abs/1608.06993

    Parameters
    ----------
    num_init_features : int
        Channels of the first convolution.
    growth_rate : int
        Number of channels that each layer adds.
    block_config : sequence of int
        Number of layers in each block.
    bn_size : int, default 4
        Channels of each layer's 1x1 convolution, as a multiple of `growth_rate`.
    dropout : float, default 0
        Dropout rate after each layer.
    classes : int, default 1000
    """

    def __init__(
        self,
        num_init_features: int,
        growth_rate: int,
        block_config: Sequence[int],
        bn_size: int = 4,
        dropout: float = 0,
        classes: int = 1000,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.features = chain(
                nn.Conv2D(num_init_features, 7, strides=2, padding=3, use_bias=False),
                nn.BatchNorm(),
                nn.Activation("relu"),
                nn.MaxPool2D(pool_size=3, strides=2, padding=1),
            )
            channels = num_init_features
            for stage, layers in enumerate(block_config, 1):
                self.features.add(_block(layers, bn_size, growth_rate, dropout, stage))
                channels += layers * growth_rate
                if stage < len(block_config):
                    channels //= 2
                    self.features.add(_transition(channels))
            self.features.add(
                nn.BatchNorm(), nn.Activation("relu"), nn.AvgPool2D(pool_size=7), nn.Flatten()
            )
            self.output = nn.Dense(classes)


def _block(layers: int, bn_size: int, growth_rate: int, dropout: float, stage: int) -> Any:
    block = nn.HybridSequential(prefix=f"stage{stage}_")
    with block.name_scope():
        for _ in range(layers):
            new_features = chain(
                nn.BatchNorm(),
                nn.Activation("relu"),
                nn.Conv2D(bn_size * growth_rate, 1, use_bias=False),
                nn.BatchNorm(),
                nn.Activation("relu"),
                nn.Conv2D(growth_rate, 3, padding=1, use_bias=False),
                nn.Dropout(dropout) if dropout else None,
            )
            block.add(concatenate(nn.Identity(), new_features))
    return block


def _transition(channels: int) -> Any:
    return chain(
        nn.BatchNorm(),
        nn.Activation("relu"),
        nn.Conv2D(channels, 1, use_bias=False),
        nn.AvgPool2D(pool_size=2, strides=2),
    )


def get_densenet(
    num_layers: int, pretrained: bool = False, ctx: Any = None, root: Any = None, **kwargs: Any
) -> DenseNet:
    """Return the DenseNet with `num_layers` layers.

    Parameters
    ----------
    num_layers : {121, 161, 169, 201}
    pretrained, ctx, root
        As for `get_resnet`.
    **kwargs
        Arguments of `DenseNet`.
    """
    net = DenseNet(*specification_of(densenet_spec, num_layers), **kwargs)
    return load_pretrained(net, f"densenet{num_layers}", pretrained, ctx, root)


densenet121 = preset(get_densenet, "densenet121", "DenseNet-121", 121)
densenet161 = preset(get_densenet, "densenet161", "DenseNet-161", 161)
densenet169 = preset(get_densenet, "densenet169", "DenseNet-169", 169)
densenet201 = preset(get_densenet, "densenet201", "DenseNet-201", 201)
