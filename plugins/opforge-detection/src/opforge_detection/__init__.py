"""Object detection: overlaps, suppression, anchors and proposals.

A plugin of opforge; nothing is imported before one of its operators is used.
"""

from opforge.plugin_api import hookimpl


@hookimpl
def opforge_operators() -> list[type]:
    """Return the declarations of this plugin."""
    from . import correlation, multibox, pairs, regions, suppression

    return [
        *pairs.OPERATORS,
        *suppression.OPERATORS,
        *multibox.OPERATORS,
        *regions.OPERATORS,
        *correlation.OPERATORS,
    ]
