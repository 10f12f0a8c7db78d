"""Pooling of regions of images."""

from collections.abc import Callable
from typing import Any

from opforge.plugin_api import sym

from ..node import Node

__all__ = ["OPERATORS"]

Translate = Callable[[Node], Any]


def _roi_align(node: Node) -> Any:
    """Return ROIAlign, whose regions begin with the index of their image."""
    node.require(
        node.attribute("mode", "avg") == "avg",
        "the maximum of samples is not supported",
        "export the model with mode 'avg'",
    )
    # Before opset 16, regions were not moved by half a pixel.
    default = "half_pixel" if node.opset >= 16 else "output_half_pixel"
    size = (node.attribute("output_height", 1), node.attribute("output_width", 1))
    column = sym.expand_dims(sym.cast(node.symbol(2), dtype=node.dtype(1).name), axis=1)
    return sym.contrib.ROIAlign(
        node.symbol(0),
        sym.concat(column, node.symbol(1), dim=1),
        pooled_size=size,
        spatial_scale=node.attribute("spatial_scale", 1.0),
        sample_ratio=node.attribute("sampling_ratio", 0) or -1,
        aligned=node.attribute("coordinate_transformation_mode", default) == "half_pixel",
        name=node.name,
    )


def _max_pool(node: Node) -> Any:
    """Return ROIPooling."""
    return sym.ROIPooling(
        node.symbol(0),
        node.symbol(1),
        pooled_size=tuple(node.attribute("pooled_shape")),
        spatial_scale=node.attribute("spatial_scale", 1.0),
        name=node.name,
    )


OPERATORS: dict[str, Translate] = {"MaxRoiPool": _max_pool, "RoiAlign": _roi_align}
