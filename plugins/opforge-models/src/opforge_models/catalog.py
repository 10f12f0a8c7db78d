"""Table of the names of networks: of MXNet's functions and of `get_model`."""

from typing import Any

from . import alexnet, densenet, inception, mobilenet, residual, resnet, squeezenet, vgg

__all__ = ["MODELS"]

#: Names that are not Python identifiers -> name of the function.
_ALIASES = {
    "inceptionv3": "inception_v3",
    "squeezenet1.0": "squeezenet1_0",
    "squeezenet1.1": "squeezenet1_1",
    **{
        f"mobilenet{width}": f"mobilenet{width}".replace(".", "_")
        for width in ("1.0", "0.75", "0.5", "0.25")
    },
    **{
        f"mobilenetv2_{width}": f"mobilenet_v2_{width}".replace(".", "_")
        for width in ("1.0", "0.75", "0.5", "0.25")
    },
}

_NAMED: dict[str, Any] = {
    name: getattr(module, name)
    for module in (alexnet, densenet, inception, mobilenet, residual, resnet, squeezenet, vgg)
    for name in module.__all__
    if name != "conv3x3"
}

MODELS: dict[str, Any] = {
    **_NAMED,
    **{alias: _NAMED[name] for alias, name in _ALIASES.items()},
}
