"""Activation operators, such as sigmoid and relu, and their layer, Activation.

A plugin of opforge; nothing is imported before one of its operators is used.
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
    from .layers import Activation

    return [Activation]
