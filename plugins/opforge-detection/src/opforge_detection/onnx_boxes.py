"""Translation of overlaps, encoding and decoding of boxes to ONNX."""

from typing import Any

import numpy as np

__all__ = ["box_decode", "box_encode", "box_iou", "decode"]


def box_iou(prop: Any, call: Any) -> Any:
    """Translate box_iou: boxes of the first array are rows, those of the second columns."""
    lhs, rhs = (
        call.node("Unsqueeze", _corners(prop, call, x), call.integers(axis))
        for axis, x in zip((1, 0), call.inputs, strict=True)
    )
    begins, ends = ([_pair(call, x, at) for x in (lhs, rhs)] for at in (0, 2))
    common = _area(call, call.node("Max", *begins), call.node("Min", *ends))
    areas = map(_area, (call, call), begins, ends)
    union = call.node("Sub", call.node("Add", *areas), common)
    # Boxes without an area are not divided by zero.
    is_shared = call.node("Greater", common, call.constant(0))
    divisor = call.node("Where", is_shared, union, call.constant(1))
    overlap = call.node("Div", common, divisor)
    return call.node("Reshape", overlap, call.shape_of(call.outputs[0]))


def _corners(prop: Any, call: Any, boxes: Any) -> Any:
    """Return boxes as rows of corners."""
    rows = call.node("Reshape", boxes, call.integers(-1, 4))
    if prop.format == "corner":
        return rows
    return _box(call, _pair(call, rows, 0), _half(call, _pair(call, rows, 2)))


def _area(call: Any, begin: Any, end: Any) -> Any:
    """Return the areas of boxes; those that end before they begin have none."""
    sides = call.node("Max", call.node("Sub", end, begin), call.constant(0))
    return call.reduce("ReduceProd", sides, -1, keepdims=False)


def box_encode(prop: Any, call: Any) -> list[Any]:
    """Translate box_encode."""
    samples, matches, anchors, refs, means, stds = call.inputs
    rows = call.node("Unsqueeze", call.cast(matches, np.int64), call.integers(2))
    indices = call.node("Tile", rows, call.integers(1, 1, 4))
    matched = call.node("GatherElements", refs, indices, axis=1)
    (middle, sides), (to_middle, to_sides) = (
        _middle_and_sides(call, x) for x in (anchors, matched)
    )
    shifts = call.node("Div", call.node("Sub", to_middle, middle), sides)
    growth = call.node("Log", call.node("Div", to_sides, sides))
    offsets = call.node("Sub", call.node("Concat", shifts, growth, axis=2), means)
    column = call.node("Unsqueeze", samples, call.integers(2))
    is_positive = call.node("Greater", column, call.constant(0.5))
    scaled = call.node("Div", offsets, stds)
    found = call.node("Where", is_positive, scaled, call.constant(0))
    mask = call.cast(is_positive, samples.dtype)
    return [found, call.node("Expand", mask, call.node("Shape", anchors))]


def _middle_and_sides(call: Any, corners: Any) -> tuple[Any, Any]:
    """Return the centers and the sides of boxes."""
    begin, end = _pair(call, corners, 0), _pair(call, corners, 2)
    return _half(call, call.node("Add", begin, end)), call.node("Sub", end, begin)


def box_decode(prop: Any, call: Any) -> Any:
    """Translate box_decode."""
    data, anchors = call.inputs
    factors = (prop.std0, prop.std1, prop.std2, prop.std3)
    return decode(call, data, anchors, factors, prop.format == "corner", prop.clip)


def decode(
    call: Any, offsets: Any, anchors: Any, factors: Any, are_corners: bool, limit: float = 0
) -> Any:
    """Return the corners of boxes that predicted offsets of anchors give.

    Parameters
    ----------
    call : Call
    offsets, anchors : Value or str
        With four numbers along the third axis.
    factors : sequence of float
        Of each offset.
    are_corners : bool
        Whether anchors are corners, and not a center and sides.
    limit : float, default 0
        Largest logarithm of growth; 0 or less: none.
    """
    if are_corners:
        middle, sides = _middle_and_sides(call, anchors)
    else:
        middle, sides = _pair(call, anchors, 0), _pair(call, anchors, 2)
    scaled = call.node("Mul", offsets, call.constant(factors))
    growth = _pair(call, scaled, 2)
    if limit > 0:
        growth = call.node("Min", growth, call.constant(limit))
    moved = call.node("Add", call.node("Mul", _pair(call, scaled, 0), sides), middle)
    return _box(call, moved, _half(call, call.node("Mul", call.node("Exp", growth), sides)))


def _pair(call: Any, boxes: Any, begin: int) -> Any:
    """Return two of the four numbers of each box."""
    return call.node("Slice", boxes, *map(call.integers, (begin, begin + 2, -1)))


def _half(call: Any, numbers: Any) -> Any:
    return call.node("Mul", numbers, call.constant(0.5))


def _box(call: Any, middle: Any, reach: Any) -> Any:
    """Return the corners of boxes from their centers and half sides."""
    parts = [call.node(kind, middle, reach) for kind in ("Sub", "Add")]
    return call.node("Concat", *parts, axis=-1)
