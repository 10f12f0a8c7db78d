"""Translation of box_nms to ONNX."""

from typing import Any

import numpy as np

from .onnx_rows import column, columns, count_rows, suppress, take_rows

__all__ = ["box_nms"]


def box_nms(prop: Any, call: Any) -> Any:
    """Translate box_nms: the kept boxes in order, then rows of -1."""
    data = call.inputs[0]
    if prop.topk == 0:
        return call.node("Identity", data)
    call.require(
        0 <= prop.overlap_thresh <= 1,
        f"overlap_thresh {prop.overlap_thresh} is no ratio",
        "use a value from 0 to 1",
    )
    rank, width = len(data.shape), data.shape[-1]
    images = call.node("Reshape", data, call.shape_vector(-1, (data, rank - 2), width))
    rows, considered = _best_rows(prop, call, images)
    kept = _suppress(prop, call, rows, considered)
    # Kept boxes first, without a change of their order.
    ranks, order = call.node("TopK", kept, count_rows(call, kept), axis=1, outputs=2)
    found = take_rows(call, _convert(prop, call, rows), order, width)
    is_box = call.node("Greater", ranks, call.constant(0, np.float32))
    is_box = call.node("Unsqueeze", is_box, call.integers(2))
    found = call.node("Where", is_box, found, call.constant(-1))
    missing = call.node("Sub", call.size(data, rank - 2), count_rows(call, kept))
    edges = call.node("Concat", call.integers(0, 0, 0, 0), missing, call.integers(0), axis=0)
    padded = call.node("Pad", found, edges, call.constant(-1))
    return call.mark(call.node("Reshape", padded, call.node("Shape", data)), prop)


def _best_rows(prop: Any, call: Any, images: str) -> tuple[str, str]:
    """Return the rows to consider by descending score, and which of them are boxes."""
    data = call.inputs[0]
    count = call.size(data, len(data.shape) - 2)
    if prop.topk > 0:
        count = call.node("Min", count, call.integers(prop.topk))
    scores = column(call, images, prop.score_index)
    is_valid = call.node("Greater", scores, call.constant(prop.valid_thresh))
    if prop.id_index >= 0:
        ids = column(call, images, prop.id_index)
        is_background = call.node("Equal", ids, call.constant(prop.background_id))
        is_valid = call.node("And", is_valid, call.node("Not", is_background))
    low = call.constant(np.finfo(data.dtype).min)
    valid = call.node("Where", is_valid, scores, low)
    best, order = call.node("TopK", valid, count, axis=1, outputs=2)
    return take_rows(call, images, order, data.shape[-1]), call.node("Greater", best, low)


def _suppress(prop: Any, call: Any, rows: str, considered: str) -> str:
    """Return for each row a rank that descends from the first one, or 0 if it is suppressed."""
    boxes = columns(call, rows, prop.coord_start, prop.coord_start + 4)
    is_by_class = prop.id_index >= 0 and not prop.force_suppress
    ids = column(call, rows, prop.id_index) if is_by_class else None
    are_centered = prop.in_format == "center"
    return suppress(call, boxes, considered, ids, prop.overlap_thresh, are_centered)


def _convert(prop: Any, call: Any, rows: str) -> str:
    """Return rows in the format of the output; those that start left of the image stay the same."""
    if prop.in_format == prop.out_format:
        return rows
    start = prop.coord_start
    first, second = (columns(call, rows, begin, begin + 2) for begin in (start, start + 2))
    half = call.constant(0.5)
    if prop.in_format == "center":
        reach = call.node("Mul", second, half)
        pair = [call.node("Sub", first, reach), call.node("Add", first, reach)]
    else:
        middle = call.node("Mul", call.node("Add", first, second), half)
        pair = [middle, call.node("Sub", second, first)]
    width = call.inputs[0].shape[-1]
    parts = [
        *([columns(call, rows, 0, start)] if start else []),
        *pair,
        *([columns(call, rows, start + 4, width)] if start + 4 < width else []),
    ]
    is_outside = call.node("Less", columns(call, rows, start, start + 1), call.constant(0))
    return str(call.node("Where", is_outside, rows, call.node("Concat", *parts, axis=2)))
