"""ResNet, versions 1 and 2 (He et al., "Deep Residual Learning" and "Identity Mappings")."""

from collections.abc import Sequence
from typing import Any

from opforge.plugin_api import nn

from .building import Network, chain, load_pretrained, preset, specification_of
from .residual import BasicBlockV1, BasicBlockV2, BottleneckV1, BottleneckV2, conv3x3

__all__ = [
    "ResNetV1",
    "ResNetV2",
    "get_resnet",
    "resnet18_v1",
    "resnet18_v2",
    "resnet34_v1",
    "resnet34_v2",
    "resnet50_v1",
    "resnet50_v2",
    "resnet101_v1",
    "resnet101_v2",
    "resnet152_v1",
    "resnet152_v2",
]

_BASIC, _BOTTLENECK = [64, 64, 128, 256, 512], [64, 256, 512, 1024, 2048]
#: Number of layers -> kind of block, blocks per stage, channels of the first convolution and of
#: each stage.
resnet_spec = {
    18: ("basic_block", [2, 2, 2, 2], _BASIC),
    34: ("basic_block", [3, 4, 6, 3], _BASIC),
    50: ("bottle_neck", [3, 4, 6, 3], _BOTTLENECK),
    101: ("bottle_neck", [3, 4, 23, 3], _BOTTLENECK),
    152: ("bottle_neck", [3, 8, 36, 3], _BOTTLENECK),
}
#: For each version, kind of block -> class.
resnet_block_versions: list[dict[str, type]] = [
    {"basic_block": BasicBlockV1, "bottle_neck": BottleneckV1},
    {"basic_block": BasicBlockV2, "bottle_neck": BottleneckV2},
]


class _ResNet(Network):
    def __init__(
        self,
        block: type,
        layers: Sequence[int],
        channels: Sequence[int],
        classes: int = 1000,
        thumbnail: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.features = chain(*self._feature_layers(block, layers, channels, thumbnail))
            self.output = nn.Dense(classes, in_units=channels[-1])

    def _feature_layers(
        self, block: type, layers: Sequence[int], channels: Sequence[int], thumbnail: bool
    ) -> list[Any]:
        raise NotImplementedError


class ResNetV1(_ResNet):
    """ResNet, version 1.

    Source: https://arxiv.org/abs/1512.03385

    Parameters
    ----------
    block : type
        `BasicBlockV1` or `BottleneckV1`.
    layers : sequence of int
        Number of blocks in each stage.
    channels : sequence of int
        Channels of the first convolution, then of each stage: one entry more than `layers`.
    classes : int, default 1000
    thumbnail : bool, default False
        Whether images are small (32x32): use a 3x3 first convolution and no pooling.
    """

    def _feature_layers(
        self, block: type, layers: Sequence[int], channels: Sequence[int], thumbnail: bool
    ) -> list[Any]:
        return [
            *_stem(channels[0], thumbnail),
            *_stages(block, layers, channels),
            nn.GlobalAvgPool2D(),
        ]


class ResNetV2(_ResNet):
    """ResNet, version 2: batch norm and activation precede each convolution.

    Source: https://arxiv.org/abs/1603.05027

    Parameters
    ----------
    block : type
        `BasicBlockV2` or `BottleneckV2`.
    layers, channels, classes, thumbnail
        As for `ResNetV1`.
    """

    def _feature_layers(
        self, block: type, layers: Sequence[int], channels: Sequence[int], thumbnail: bool
    ) -> list[Any]:
        return [
            nn.BatchNorm(scale=False, center=False),
            *_stem(channels[0], thumbnail),
            *_stages(block, layers, channels),
            nn.BatchNorm(),
            nn.Activation("relu"),
            nn.GlobalAvgPool2D(),
            nn.Flatten(),
        ]


def _stem(channels: int, thumbnail: bool) -> list[Any]:
    """Return the layers before the first stage."""
    if thumbnail:
        return [conv3x3(channels, 1, 0)]
    return [
        nn.Conv2D(channels, 7, 2, 3, use_bias=False),
        nn.BatchNorm(),
        nn.Activation("relu"),
        nn.MaxPool2D(3, 2, 1),
    ]


def _stages(block: Any, layers: Sequence[int], channels: Sequence[int]) -> list[Any]:
    """Return the stages; every stage except the first halves height and width."""
    if len(layers) != len(channels) - 1:
        raise AssertionError(
            f"{len(layers)} stages need {len(layers) + 1} entries in channels, got {len(channels)}"
        )
    stages = []
    for stage, count in enumerate(layers, 1):
        before, after = channels[stage - 1 : stage + 1]
        blocks = nn.HybridSequential(prefix=f"stage{stage}_")
        with blocks.name_scope():
            stride = 1 if stage == 1 else 2
            blocks.add(block(after, stride, after != before, in_channels=before, prefix=""))
            for _ in range(count - 1):
                blocks.add(block(after, 1, False, in_channels=after, prefix=""))
        stages.append(blocks)
    return stages


#: The class of each version.
resnet_net_versions = [ResNetV1, ResNetV2]


def get_resnet(
    version: int,
    num_layers: int,
    pretrained: bool = False,
    ctx: Any = None,
    root: Any = None,
    **kwargs: Any,
) -> ResNetV1 | ResNetV2:
    """Return a ResNet of the given version and number of layers.

    Parameters
    ----------
    version : {1, 2}
    num_layers : {18, 34, 50, 101, 152}
    pretrained : bool, default False
        Whether to load parameters from the model's file.
    ctx : Context, optional
        Context of the loaded parameters.
    root : str, optional
        Folder of the file; default as for `model_store.get_model_file`.
    **kwargs
        Arguments of `ResNetV1` and `ResNetV2`.

    Examples
    --------
    >>> from opforge import gluon, init, nd
    >>> net = gluon.model_zoo.vision.get_resnet(1, 18, classes=10, thumbnail=True)
    >>> net.initialize(init.Xavier())
    >>> net(nd.ones((2, 3, 32, 32))).shape
    (2, 10)
    """
    kind, layers, channels = specification_of(resnet_spec, num_layers)
    if version not in (1, 2):
        raise AssertionError(f"Invalid resnet version: {version}. Options are 1 and 2.")
    if version not in (1, 2):
        raise AssertionError(f"Invalid resnet version: {version}. Options are 1 and 2.")
    block = resnet_block_versions[version - 1][kind]
    net = resnet_net_versions[version - 1](block, layers, channels, **kwargs)
    return load_pretrained(net, f"resnet{num_layers}_v{version}", pretrained, ctx, root)


resnet18_v1 = preset(get_resnet, "resnet18_v1", "ResNet-18, version 1", 1, 18)
resnet34_v1 = preset(get_resnet, "resnet34_v1", "ResNet-34, version 1", 1, 34)
resnet50_v1 = preset(get_resnet, "resnet50_v1", "ResNet-50, version 1", 1, 50)
resnet101_v1 = preset(get_resnet, "resnet101_v1", "ResNet-101, version 1", 1, 101)
resnet152_v1 = preset(get_resnet, "resnet152_v1", "ResNet-152, version 1", 1, 152)
resnet18_v2 = preset(get_resnet, "resnet18_v2", "ResNet-18, version 2", 2, 18)
resnet34_v2 = preset(get_resnet, "resnet34_v2", "ResNet-34, version 2", 2, 34)
resnet50_v2 = preset(get_resnet, "resnet50_v2", "ResNet-50, version 2", 2, 50)
resnet101_v2 = preset(get_resnet, "resnet101_v2", "ResNet-101, version 2", 2, 101)
resnet152_v2 = preset(get_resnet, "resnet152_v2", "ResNet-152, version 2", 2, 152)
