"""Attention: fused, as a multi-head layer, and as the matrix products of MXNet's contrib operators.

A plugin of opforge; its modules are imported when one of its operators or layers is first used.
"""

from collections.abc import Mapping

from opforge.plugin_api import hookimpl


@hookimpl
def opforge_operators() -> list[type]:
    """Return the operator declarations of this plugin."""
    from . import interleaved, operators

    return [operators.ScaledDotProductAttention, *interleaved.OPERATORS]


@hookimpl
def opforge_layers() -> list[type]:
    """Return the layer classes of this plugin."""
    from . import layers

    return [layers.MultiHeadAttention]


@hookimpl
def opforge_contributions() -> Mapping[str, Mapping[str, object]]:
    """Return the translations of its operators to ONNX."""
    from .onnx import RULES

    return {"rule": RULES}
