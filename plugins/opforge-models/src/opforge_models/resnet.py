"""ResNet, version 1 and 2 (He et al., "Deep Residual Learning", "Identity Mappings")."""

from collections.abc import Sequence
from typing import Any

from opforge.plugin_api import nn

from .building import Network, chain, of_depth, prepared
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

_BASIC, _BOTTLENECK = (64, 64, 128, 256, 512), (64, 256, 512, 1024, 2048)
#: Layers -> blocks of each stage, channels of the first convolution and of each stage.
_SPECIFICATIONS = {
    18: ((2, 2, 2, 2), _BASIC),
    34: ((3, 4, 6, 3), _BASIC),
    50: ((3, 4, 6, 3), _BOTTLENECK),
    101: ((3, 4, 23, 3), _BOTTLENECK),
    152: ((3, 8, 36, 3), _BOTTLENECK),
}


class ResNetV1(Network):
    """ResNet, version 1.

    Source: https://arxiv.org/abs/1512.03385

    Parameters
    ----------
    block : type
        `BasicBlockV1` or `BottleneckV1`.
    layers : sequence of int
        Blocks of each stage.
    channels : sequence of int
        Of the first convolution, then of each stage: one more than `layers`.
    classes : int, default 1000
    thumbnail : bool, default False
        Whether pictures are small (32x32): the first convolution is 3x3 and nothing is pooled.
    """

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
            self.features = chain(*_stem(channels[0], thumbnail))
            self.features.add(*_stages(block, layers, channels), nn.GlobalAvgPool2D())
            self.output = nn.Dense(classes, in_units=channels[-1])


class ResNetV2(Network):
    """ResNet, version 2: batch norm and activation stand before each convolution.

    Source: https://arxiv.org/abs/1603.05027

    Parameters
    ----------
    block : type
        `BasicBlockV2` or `BottleneckV2`.
    layers : sequence of int
        Blocks of each stage.
    channels : sequence of int
        Of the first convolution, then of each stage: one more than `layers`.
    classes : int, default 1000
    thumbnail : bool, default False
        Whether pictures are small (32x32): the first convolution is 3x3 and nothing is pooled.
    """

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
            self.features = chain(nn.BatchNorm(scale=False, center=False))
            self.features.add(*_stem(channels[0], thumbnail))
            self.features.add(*_stages(block, layers, channels))
            self.features.add(
                nn.BatchNorm(), nn.Activation("relu"), nn.GlobalAvgPool2D(), nn.Flatten()
            )
            self.output = nn.Dense(classes, in_units=channels[-1])


def _stem(channels: int, thumbnail: bool) -> list[Any]:
    """Return what pictures meet first."""
    if thumbnail:
        return [conv3x3(channels, 1, 0)]
    return [
        nn.Conv2D(channels, 7, 2, 3, use_bias=False),
        nn.BatchNorm(),
        nn.Activation("relu"),
        nn.MaxPool2D(3, 2, 1),
    ]


def _stages(block: Any, layers: Sequence[int], channels: Sequence[int]) -> list[Any]:
    """Return the stages; each but the first halves height and width."""
    if len(layers) != len(channels) - 1:
        raise AssertionError(
            f"{len(layers)} stages need {len(layers) + 1} numbers of channels, got {len(channels)}"
        )
    found = []
    for stage, count in enumerate(layers, 1):
        before, after = channels[stage - 1 : stage + 1]
        run = nn.HybridSequential(prefix=f"stage{stage}_")
        with run.name_scope():
            stride = 1 if stage == 1 else 2
            run.add(block(after, stride, after != before, in_channels=before, prefix=""))
            for _ in range(count - 1):
                run.add(block(after, 1, False, in_channels=after, prefix=""))
        found.append(run)
    return found


def get_resnet(
    version: int,
    num_layers: int,
    pretrained: bool = False,
    ctx: Any = None,
    root: Any = None,
    **kwargs: Any,
) -> ResNetV1 | ResNetV2:
    """Return the ResNet of a version and number of layers.

    Parameters
    ----------
    version : {1, 2}
    num_layers : {18, 34, 50, 101, 152}
    pretrained : bool, default False
        Whether to load parameters from a file.
    ctx : Context, optional
        Where these lie.
    root : str, optional
        Folder of the file; the default is that of `model_store.get_model_file`.
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
    layers, channels = of_depth(_SPECIFICATIONS, num_layers)
    if version not in (1, 2):
        raise AssertionError(f"Invalid resnet version: {version}. Options are 1 and 2.")
    basic, bottleneck = (
        (BasicBlockV1, BottleneckV1) if version == 1 else (BasicBlockV2, BottleneckV2)
    )
    block = basic if channels is _BASIC else bottleneck
    net = (ResNetV1 if version == 1 else ResNetV2)(block, layers, channels, **kwargs)
    return prepared(net, f"resnet{num_layers}_v{version}", pretrained, ctx, root)


def resnet18_v1(**kwargs: Any) -> Any:
    """Return ResNet-18, version 1; the arguments are those of `get_resnet`."""
    return get_resnet(1, 18, **kwargs)


def resnet34_v1(**kwargs: Any) -> Any:
    """Return ResNet-34, version 1; the arguments are those of `get_resnet`."""
    return get_resnet(1, 34, **kwargs)


def resnet50_v1(**kwargs: Any) -> Any:
    """Return ResNet-50, version 1; the arguments are those of `get_resnet`."""
    return get_resnet(1, 50, **kwargs)


def resnet101_v1(**kwargs: Any) -> Any:
    """Return ResNet-101, version 1; the arguments are those of `get_resnet`."""
    return get_resnet(1, 101, **kwargs)


def resnet152_v1(**kwargs: Any) -> Any:
    """Return ResNet-152, version 1; the arguments are those of `get_resnet`."""
    return get_resnet(1, 152, **kwargs)


def resnet18_v2(**kwargs: Any) -> Any:
    """Return ResNet-18, version 2; the arguments are those of `get_resnet`."""
    return get_resnet(2, 18, **kwargs)


def resnet34_v2(**kwargs: Any) -> Any:
    """Return ResNet-34, version 2; the arguments are those of `get_resnet`."""
    return get_resnet(2, 34, **kwargs)


def resnet50_v2(**kwargs: Any) -> Any:
    """Return ResNet-50, version 2; the arguments are those of `get_resnet`."""
    return get_resnet(2, 50, **kwargs)


def resnet101_v2(**kwargs: Any) -> Any:
    """Return ResNet-101, version 2; the arguments are those of `get_resnet`."""
    return get_resnet(2, 101, **kwargs)


def resnet152_v2(**kwargs: Any) -> Any:
    """Return ResNet-152, version 2; the arguments are those of `get_resnet`."""
    return get_resnet(2, 152, **kwargs)
