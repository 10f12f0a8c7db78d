"""Output operators: three kinds of regression, and MakeLoss for custom losses.

A plugin of opforge; nothing is imported before one of its operators is used.
"""

from opforge.plugin_api import hookimpl


@hookimpl
def opforge_operators() -> list[type]:
    """Return the declarations of this plugin."""
    from .make_loss import MakeLoss
    from .outputs import OPERATORS

    return [*OPERATORS, MakeLoss]
