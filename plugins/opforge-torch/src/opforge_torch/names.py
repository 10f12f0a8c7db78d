"""torchvision's names of the layers and parameters of the zoo's networks."""

from collections.abc import Callable, Sequence

__all__ = ["FAMILIES", "PARAMETERS"]

#: Gluon's name of a parameter or state -> PyTorch's.
PARAMETERS = {
    "weight": "weight",
    "bias": "bias",
    "gamma": "weight",
    "beta": "bias",
    "running_mean": "running_mean",
    "running_var": "running_var",
}
_ALEXNET = {"0": "0", "2": "3", "4": "6", "5": "8", "6": "10"}
_DENSE_LAYER = {"0": "norm1", "2": "conv1", "3": "norm2", "5": "conv2"}
_FIRE = {("0", "0"): "squeeze", ("1", "0", "0"): "expand1x1", ("1", "1", "0"): "expand3x3"}


def _resnet(path: Sequence[str], dense: int) -> str | None:
    match path:
        case ["features", "0"]:
            return "conv1"
        case ["features", "1"]:
            return "bn1"
        case ["features", stage, block, "body", layer]:
            kind = "bn" if int(layer) % 3 else "conv"
            return f"layer{int(stage) - 3}.{block}.{kind}{int(layer) // 3 + 1}"
        case ["features", stage, block, "downsample", layer]:
            return f"layer{int(stage) - 3}.{block}.downsample.{layer}"
    return "fc"


def _vgg(path: Sequence[str], dense: int) -> str | None:
    match path:
        case ["features", layer] if int(layer) < dense:
            return f"features.{layer}"
        case ["features", layer]:
            return "classifier.0" if int(layer) == dense else "classifier.3"
    return "classifier.6"


def _alexnet(path: Sequence[str], dense: int) -> str | None:
    match path:
        case ["features", layer] if int(layer) < dense:
            return f"features.{_ALEXNET[layer]}"
        case ["features", layer]:
            return "classifier.1" if int(layer) == dense else "classifier.4"
    return "classifier.6"


def _squeezenet(path: Sequence[str], dense: int) -> str | None:
    match path:
        case ["features", layer]:
            return f"features.{layer}"
        case ["features", layer, *inner]:
            return f"features.{layer}.{_FIRE[tuple(inner)]}"
    return "classifier.1"


def _densenet(path: Sequence[str], dense: int) -> str | None:
    match path:
        case ["features", "0"]:
            return "features.conv0"
        case ["features", "1"]:
            return "features.norm0"
        case ["features", _]:
            return "features.norm5"
        case ["features", stage, layer]:
            part = "norm" if layer == "0" else "conv"
            return f"features.transition{(int(stage) - 3) // 2}.{part}"
        case ["features", stage, index, "1", layer]:
            block = f"denseblock{(int(stage) - 2) // 2}"
            return f"features.{block}.denselayer{int(index) + 1}.{_DENSE_LAYER[layer]}"
    return "classifier"


def _mobilenet(path: Sequence[str], dense: int) -> str | None:
    match path:
        case ["features", ("0" | "1") as layer]:
            return f"features.0.{layer}"
        case ["features", layer]:
            return f"features.18.{int(layer) - 20}"
        case ["features", block, "out", layer]:
            number, step, kind = int(block) - 2, int(layer) // 3, int(layer) % 3
            step -= number == 1  # torchvision's first bottleneck does not expand
            if step < 0:
                return None
            last = step == (1 if number == 1 else 2)
            return f"features.{number}.conv.{step + kind if last else f'{step}.{kind}'}"
    return "classifier.1"


#: Class of the zoo -> function of the path of a layer and the index of the first dense layer of
#: ``features``. It returns torchvision's name; None for a layer that torchvision leaves out.
FAMILIES: dict[str, Callable[[Sequence[str], int], str | None]] = {
    "AlexNet": _alexnet,
    "DenseNet": _densenet,
    "MobileNetV2": _mobilenet,
    "ResNetV1": _resnet,
    "SqueezeNet": _squeezenet,
    "VGG": _vgg,
}
