"""Translation of pooling of regions to ONNX."""

from typing import Any

__all__ = ["roi_align"]


def roi_align(prop: Any, call: Any) -> Any:
    """Translate ROIAlign; the first column of the regions is the index of the image.

    Regions with a negative one are empty, and give zeros.
    """
    data, regions = call.inputs
    call.require(
        not prop.position_sensitive, "position_sensitive has no equivalent", "leave it out"
    )
    call.require(call.opset >= 16, "RoiAlign has other corners before", "use opset 16 or later")
    bounds = [call.integers(1), call.integers(5), call.integers(1)]
    first = call.node("Gather", regions, call.constant(0, "int64"), axis=1)
    index = call.cast(call.node("Max", first, call.constant(0)), "int64")
    height, width = prop.pooled_size
    found = call.node(
        "RoiAlign",
        data,
        call.node("Slice", regions, *bounds),
        index,
        mode="avg",
        output_height=height,
        output_width=width,
        sampling_ratio=max(prop.sample_ratio, 0),
        spatial_scale=prop.spatial_scale,
        coordinate_transformation_mode="half_pixel" if prop.aligned else "output_half_pixel",
    )
    is_empty = call.node("Less", first, call.constant(0))
    rows = call.node("Reshape", is_empty, call.integers(-1, 1, 1, 1))
    return call.node("Where", rows, call.constant(0), found)
