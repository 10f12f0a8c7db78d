"""Dropout operator and layer.

A plugin of opforge; nothing is imported before one of its names is used.
"""

from collections.abc import Mapping

from opforge.plugin_api import hookimpl


@hookimpl
def opforge_operators() -> list[type]:
    """Return the declarations of this plugin."""
    from .operators import Dropout

    return [Dropout]


@hookimpl
def opforge_layers() -> list[type]:
    """Return the layer classes of this plugin."""
    from .layers import Dropout

    return [Dropout]


@hookimpl
def opforge_contributions() -> Mapping[str, Mapping[str, object]]:
    """Return the translations of its operators to ONNX."""
    from .onnx import RULES

    return {"rule": RULES}
