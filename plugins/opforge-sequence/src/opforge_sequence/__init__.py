"""Sequences of different lengths in one array: masks, last elements, reversal.

A plugin of opforge; nothing is imported before one of its operators is used.
"""

from opforge.plugin_api import hookimpl


@hookimpl
def opforge_operators() -> list[type]:
    """Return the declarations of this plugin."""
    from . import lengths

    return [*lengths.OPERATORS]
