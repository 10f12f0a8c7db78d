"""Dense operator and layer.

A plugin of opforge; nothing is imported before its operator or layer is used.
"""

from collections.abc import Mapping

from opforge.plugin_api import hookimpl


@hookimpl
def opforge_operators() -> list[type]:
    """Return the declarations of this plugin."""
    from .operators import DenseProp

    return [DenseProp]


@hookimpl
def opforge_layers() -> list[type]:
    """Return the layer classes of this plugin."""
    from .layers import Dense

    return [Dense]


@hookimpl
def opforge_contributions() -> Mapping[str, Mapping[str, object]]:
    """Return the translations of its operators to ONNX."""
    from .onnx import RULES

    return {"rule": RULES}
