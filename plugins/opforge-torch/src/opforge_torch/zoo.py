"""Networks of the zoo that compute as those of torchvision."""

from collections.abc import Callable
from typing import Any

from opforge.plugin_api import gluon, nn

from .errors import TorchError

__all__ = ["Bottleneck", "get_model", "names"]


class Bottleneck(gluon.model_zoo.vision.BottleneckV1):
    """Bottleneck of torchvision's ResNet, whose 3x3 convolution has the stride.

    That of `BottleneckV1` has it in the first 1x1 convolution, as the paper does. Parameters as for
    `BottleneckV1`.
    """

    def _layers(self, channels: int, stride: int, in_channels: int) -> list[Any]:
        inner = channels // 4
        return [
            *_convolution(inner, 1, 1, in_channels),
            nn.Activation("relu"),
            *_convolution(inner, 3, stride, inner),
            nn.Activation("relu"),
            *_convolution(channels, 1, 1, inner),
        ]


def get_model(name: str, classes: int = 1000) -> Any:
    """Return the network of the zoo that computes as torchvision's of the same name.

    ResNets of 50 and more layers, and MobileNet v2, differ from those of
    ``gluon.model_zoo.vision``: the first have their strides in 3x3 convolutions, the second has a
    bias in its last layer.

    Parameters
    ----------
    name : str
        torchvision's name, such as "resnet50", "vgg16_bn" or "mobilenet_v2"; or timm's, which
        differs for "mobilenetv2_100" alone.
    classes : int, default 1000

    Returns
    -------
    HybridBlock
        Without weights; see `load_weights`.

    Raises
    ------
    TorchError
        The zoo has no such network.

    Examples
    --------
    >>> import opforge as mx
    >>> net = mx.torch.get_model("resnet50", classes=10)
    >>> net.initialize()
    >>> net(mx.nd.zeros((1, 3, 64, 64))).shape
    (1, 10)
    """
    if name not in _NETWORKS:
        raise TorchError(f"the zoo has no network {name!r}; expected one of {names()}")
    return _NETWORKS[name](classes)


def names() -> list[str]:
    """Return torchvision's and timm's names of the networks of the zoo."""
    return sorted(_NETWORKS)


def _convolution(channels: int, kernel: int, stride: int, in_channels: int) -> list[Any]:
    """Return a convolution without bias and its batch norm."""
    layer = nn.Conv2D(
        channels, kernel, stride, kernel // 2, use_bias=False, in_channels=in_channels
    )
    return [layer, nn.BatchNorm()]


def _zoo(name: str) -> Callable[[int], Any]:
    """Return the constructor of a network that is the same in both."""
    return lambda classes: gluon.model_zoo.vision.get_model(name, classes=classes)


def _deep_resnet(*layers: int) -> Callable[[int], Any]:
    channels = [64, 256, 512, 1024, 2048]
    return lambda classes: gluon.model_zoo.vision.ResNetV1(
        Bottleneck, list(layers), channels, classes=classes
    )


def _mobilenet(classes: int) -> Any:
    net = gluon.model_zoo.vision.MobileNetV2(1.0, classes=classes)
    with net.name_scope():
        net.output = nn.HybridSequential(prefix="output_")
        with net.output.name_scope():
            net.output.add(nn.Conv2D(classes, 1, prefix="pred_"), nn.Flatten())
    return net


_NETWORKS: dict[str, Callable[[int], Any]] = {
    "alexnet": _zoo("alexnet"),
    **{f"densenet{n}": _zoo(f"densenet{n}") for n in (121, 161, 169, 201)},
    "mobilenet_v2": _mobilenet,
    "mobilenetv2_100": _mobilenet,
    **{f"resnet{n}": _zoo(f"resnet{n}_v1") for n in (18, 34)},
    "resnet50": _deep_resnet(3, 4, 6, 3),
    "resnet101": _deep_resnet(3, 4, 23, 3),
    "resnet152": _deep_resnet(3, 8, 36, 3),
    "squeezenet1_0": _zoo("squeezenet1.0"),
    "squeezenet1_1": _zoo("squeezenet1.1"),
    **{f"vgg{n}{norm}": _zoo(f"vgg{n}{norm}") for n in (11, 13, 16, 19) for norm in ("", "_bn")},
}
