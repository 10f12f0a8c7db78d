"""Dropout operator and layer.

A plugin of opforge; nothing is imported before one of its names is used.
"""

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
