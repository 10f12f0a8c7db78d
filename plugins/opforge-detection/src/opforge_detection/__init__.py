"""Object detection operators: overlaps, suppression, anchors, proposals and ROI pooling.

A plugin of opforge; nothing is imported before one of its operators is used.
"""

from opforge.plugin_api import hookimpl


@hookimpl
def opforge_operators() -> list[type]:
    """Return the declarations of this plugin."""
    from . import coding, correlation, multibox, pairs, proposals, regions, suppression

    modules = (coding, correlation, multibox, pairs, proposals, regions, suppression)
    return [declaration for module in modules for declaration in module.OPERATORS]
