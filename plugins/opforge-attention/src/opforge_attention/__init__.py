"""Attention: fused, by heads, and by the matrix products of MXNet's contrib operators.

A plugin of opforge; nothing is imported before one of its operators or layers is used.
"""

from opforge.plugin_api import hookimpl


@hookimpl
def opforge_operators() -> list[type]:
    """Return the declarations of this plugin."""
    from . import interleaved, operators

    return [operators.ScaledDotProductAttention, *interleaved.OPERATORS]


@hookimpl
def opforge_layers() -> list[type]:
    """Return the layer classes of this plugin."""
    from . import layers

    return [layers.MultiHeadAttention]
