"""torchvision's names of weights that have timm's, where these differ: MobileNet v2 and VGG."""

from collections.abc import Callable, Iterable

__all__ = ["torchvision_names"]

_VGG = {
    "pre_logits.fc1": "classifier.0",
    "pre_logits.fc2": "classifier.3",
    "head.fc": "classifier.6",
}
_MOBILENET = {
    "conv_stem": "features.0.0",
    "bn1": "features.0.1",
    "conv_head": "features.18.0",
    "bn2": "features.18.1",
    "classifier": "classifier.1",
}
#: Layers of the first bottleneck, which does not expand, and of the other ones.
_FIRST = {"conv_dw": "0.0", "bn1": "0.1", "conv_pw": "1", "bn2": "2"}
_OTHERS = {
    "conv_pw": "0.0",
    "bn1": "0.1",
    "conv_dw": "1.0",
    "bn2": "1.1",
    "conv_pwl": "2",
    "bn3": "3",
}
#: Number of the first bottleneck of each stage in torchvision's features.
_STAGES = (1, 2, 4, 7, 11, 14, 17)


def torchvision_names(keys: Iterable[str]) -> dict[str, str]:
    """Return torchvision's name for each name of a weight; others are returned unchanged.

    Parameters
    ----------
    keys : iterable of str
        Of the ``state_dict()`` of a model of timm or torchvision.

    Examples
    --------
    >>> torchvision_names(["conv_stem.weight", "blocks.1.1.conv_pwl.weight"])
    {'conv_stem.weight': 'features.0.0.weight', 'blocks.1.1.conv_pwl.weight': \
'features.3.conv.2.weight'}
    """
    found = list(keys)
    layer_of = _mobilenet_layer if "conv_stem.weight" in found else _vgg_layer
    return {key: _name(key, layer_of) for key in found}


def _name(key: str, layer_of: Callable[[str], str]) -> str:
    layer, _, kind = key.rpartition(".")
    return f"{layer_of(layer)}.{kind}"


def _vgg_layer(layer: str) -> str:
    return _VGG.get(layer, layer)


def _mobilenet_layer(layer: str) -> str:
    match layer.split("."):
        case ["blocks", stage, block, inner] if stage.isdigit() and int(stage) < len(_STAGES):
            part = (_FIRST if stage == "0" else _OTHERS).get(inner, inner)
            return f"features.{_STAGES[int(stage)] + int(block)}.conv.{part}"
    return _MOBILENET.get(layer, layer)
