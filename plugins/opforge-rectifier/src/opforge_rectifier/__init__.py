"""Variants of the rectified linear unit: the operator LeakyReLU and its layers.

A plugin of opforge; nothing is imported before one of its names is used.
"""

from opforge.plugin_api import hookimpl


@hookimpl
def opforge_operators() -> list[type]:
    """Return the declarations of this plugin."""
    from .operators import OPERATORS

    return list(OPERATORS)


@hookimpl
def opforge_layers() -> list[type]:
    """Return the layer classes of this plugin."""
    from .layers import LAYERS

    return list(LAYERS)
