"""Pooling operators and layers: max, average, sum and p-norm pooling.

A plugin of opforge; its modules are imported when one of its operators or layers is first used.
"""

from collections.abc import Mapping

from opforge.plugin_api import hookimpl


@hookimpl
def opforge_operators() -> list[type]:
    """Return the operator declarations of this plugin."""
    from . import adaptive, operators

    return [*operators.OPERATORS, adaptive.AdaptiveAvgPooling2D]


@hookimpl
def opforge_layers() -> list[type]:
    """Return the layer classes of this plugin."""
    from . import global_layers, layers

    return [*layers.LAYERS, *global_layers.LAYERS]


@hookimpl
def opforge_contributions() -> Mapping[str, Mapping[str, object]]:
    """Return the translations of its operators to ONNX."""
    from .onnx import RULES

    return {"rule": RULES}
