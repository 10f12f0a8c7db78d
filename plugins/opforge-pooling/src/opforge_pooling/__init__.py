"""Pooling: maxima, averages, sums and p-norms of windows, and their layers.

A plugin of opforge; nothing is imported before one of its operators or layers is used.
"""

from opforge.plugin_api import hookimpl


@hookimpl
def opforge_operators() -> list[type]:
    """Return the declarations of this plugin."""
    from . import adaptive, operators

    return [*operators.OPERATORS, adaptive.AdaptiveAvgPooling2D]


@hookimpl
def opforge_layers() -> list[type]:
    """Return the layer classes of this plugin."""
    from . import global_layers, layers

    return [*layers.LAYERS, *global_layers.LAYERS]
