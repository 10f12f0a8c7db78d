"""Translation of pooling of regions to ONNX.

The first column of the regions is the index of the image. Regions with a negative one are empty,
and give zeros.
"""

from typing import Any

__all__ = ["roi_align", "roi_pooling"]


def roi_align(prop: Any, call: Any) -> Any:
    """Translate ROIAlign."""
    call.require(
        not prop.position_sensitive, "position_sensitive has no equivalent", "leave it out"
    )
    call.require(call.opset >= 16, "RoiAlign has other corners before", "use opset 16 or later")
    index, corners = _columns(call, 0, 1), _columns(call, 1, 5)
    height, width = prop.pooled_size
    found = call.node(
        "RoiAlign",
        call.inputs[0],
        corners,
        call.node("Squeeze", call.cast(_of_image(call, index), "int64"), call.integers(1)),
        mode="avg",
        output_height=height,
        output_width=width,
        sampling_ratio=max(prop.sample_ratio, 0),
        spatial_scale=prop.spatial_scale,
        coordinate_transformation_mode="half_pixel" if prop.aligned else "output_half_pixel",
    )
    return _zero_if_empty(call, index, found)


def roi_pooling(prop: Any, call: Any) -> Any:
    """Translate ROIPooling."""
    reason = "ONNX Runtime has no MaxRoiPool of opset 22 or later"
    call.require(call.opset < 22, reason, "use opset 21 or older")
    index, corners = _columns(call, 0, 1), _columns(call, 1, 5)
    found = call.node(
        "MaxRoiPool",
        call.inputs[0],
        call.node("Concat", _of_image(call, index), corners, axis=1),
        pooled_shape=prop.pooled_size,
        spatial_scale=prop.spatial_scale,
    )
    return _zero_if_empty(call, index, found)


def _columns(call: Any, begin: int, end: int) -> Any:
    """Return columns of the regions."""
    return call.node("Slice", call.inputs[1], *map(call.integers, (begin, end, 1)))


def _of_image(call: Any, index: Any) -> Any:
    """Return an index that exists, where that of an empty region is negative."""
    return call.node("Max", index, call.constant(0))


def _zero_if_empty(call: Any, index: Any, found: Any) -> Any:
    """Return zeros for the regions whose index, a column, is negative."""
    is_empty = call.node("Less", index, call.constant(0))
    regions = call.node("Unsqueeze", is_empty, call.integers(2, 3))
    return call.node("Where", regions, call.constant(0), found)
