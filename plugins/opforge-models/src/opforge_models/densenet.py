"""DenseNet (Huang et al., "Densely Connected Convolutional Networks")."""

from collections.abc import Sequence
from typing import Any

from opforge.plugin_api import nn

from .building import Network, chain, of_depth, prepared, side_by_side

__all__ = ["DenseNet", "densenet121", "densenet161", "densenet169", "densenet201", "get_densenet"]

#: Layers -> channels of the first convolution, channels that a layer adds, layers of each block.
_SPECIFICATIONS = {
    121: (64, 32, (6, 12, 24, 16)),
    161: (96, 48, (6, 12, 36, 24)),
    169: (64, 32, (6, 12, 32, 32)),
    201: (64, 32, (6, 12, 48, 32)),
}


class DenseNet(Network):
    """DenseNet-BC: each layer of a block reads the results of all before it.

    Source: https://arxiv.org/abs/1608.06993

    Parameters
    ----------
    num_init_features : int
        Channels of the first convolution.
    growth_rate : int
        Channels that each layer adds.
    block_config : sequence of int
        Layers of each block.
    bn_size : int, default 4
        Channels of a layer's 1x1 convolution, in multiples of `growth_rate`.
    dropout : float, default 0
        After each layer.
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
            added = chain(
                nn.BatchNorm(),
                nn.Activation("relu"),
                nn.Conv2D(bn_size * growth_rate, 1, use_bias=False),
                nn.BatchNorm(),
                nn.Activation("relu"),
                nn.Conv2D(growth_rate, 3, padding=1, use_bias=False),
                nn.Dropout(dropout) if dropout else None,
            )
            block.add(side_by_side(nn.Identity(), added))
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
    """Return the DenseNet of so many layers.

    Parameters
    ----------
    num_layers : {121, 161, 169, 201}
    pretrained : bool, default False
        Whether to load parameters from a file.
    ctx : Context, optional
        Where these lie.
    root : str, optional
        Folder of the file; the default is that of `model_store.get_model_file`.
    **kwargs
        Arguments of `DenseNet`.
    """
    net = DenseNet(*of_depth(_SPECIFICATIONS, num_layers), **kwargs)
    return prepared(net, f"densenet{num_layers}", pretrained, ctx, root)


def densenet121(**kwargs: Any) -> DenseNet:
    """Return DenseNet-121; the arguments are those of `get_densenet`."""
    return get_densenet(121, **kwargs)


def densenet161(**kwargs: Any) -> DenseNet:
    """Return DenseNet-161; the arguments are those of `get_densenet`."""
    return get_densenet(161, **kwargs)


def densenet169(**kwargs: Any) -> DenseNet:
    """Return DenseNet-169; the arguments are those of `get_densenet`."""
    return get_densenet(169, **kwargs)


def densenet201(**kwargs: Any) -> DenseNet:
    """Return DenseNet-201; the arguments are those of `get_densenet`."""
    return get_densenet(201, **kwargs)
