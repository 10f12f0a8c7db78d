"""Object detection operators: overlaps, suppression, anchors, proposals and ROI pooling.

A plugin of opforge; nothing is imported before one of its operators is used.
"""

from collections.abc import Mapping

from opforge.plugin_api import hookimpl


@hookimpl
def opforge_operators() -> list[type]:
    """Return the declarations of this plugin."""
    from . import coding, correlation, multibox, pairs, proposals, regions, suppression

    modules = (coding, correlation, multibox, pairs, proposals, regions, suppression)
    return [declaration for module in modules for declaration in module.OPERATORS]


@hookimpl
def opforge_contributions() -> Mapping[str, Mapping[str, object]]:
    """Return the translations of its operators to ONNX."""
    from .onnx import RULES

    return {"rule": RULES}
