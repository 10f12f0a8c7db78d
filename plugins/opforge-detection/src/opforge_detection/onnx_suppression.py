"""Translation of box_nms to ONNX.

The boxes are sorted by score before NonMaxSuppression, which gets their ranks as scores: runtimes
then agree on the order of boxes with equal scores.
"""

from typing import Any

import numpy as np

__all__ = ["box_nms"]

_INT = np.int64


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
    ranks, order = call.node("TopK", kept, _length(call, kept), axis=1, outputs=2)
    found = _take_rows(call, _convert(prop, call, rows), order, width)
    is_box = call.node("Unsqueeze", call.node("Greater", ranks, _zero(call)), call.integers(2))
    found = call.node("Where", is_box, found, call.constant(-1))
    missing = call.node("Sub", call.size(data, rank - 2), _length(call, kept))
    edges = call.node("Concat", call.integers(0, 0, 0, 0), missing, call.integers(0), axis=0)
    padded = call.node("Pad", found, edges, call.constant(-1))
    return call.mark(call.node("Reshape", padded, call.node("Shape", data)), prop)


def _best_rows(prop: Any, call: Any, images: str) -> tuple[str, str]:
    """Return the rows to consider by descending score, and which of them are boxes."""
    data = call.inputs[0]
    count = call.size(data, len(data.shape) - 2)
    if prop.topk > 0:
        count = call.node("Min", count, call.integers(prop.topk))
    scores = _column(call, images, prop.score_index)
    is_valid = call.node("Greater", scores, call.constant(prop.valid_thresh))
    if prop.id_index >= 0:
        ids = _column(call, images, prop.id_index)
        is_background = call.node("Equal", ids, call.constant(prop.background_id))
        is_valid = call.node("And", is_valid, call.node("Not", is_background))
    low = call.constant(np.finfo(data.dtype).min)
    valid = call.node("Where", is_valid, scores, low)
    best, order = call.node("TopK", valid, count, axis=1, outputs=2)
    return _take_rows(call, images, order, data.shape[-1]), call.node("Greater", best, low)


def _suppress(prop: Any, call: Any, rows: str, considered: str) -> str:
    """Return for each row a rank that descends from the first one, or 0 if it is suppressed."""
    boxes = _columns(call, rows, prop.coord_start, prop.coord_start + 4)
    count = call.node("Squeeze", _length(call, considered), call.integers(0))
    positions = call.node("Range", call.constant(0, _INT), count, call.constant(1, _INT))
    ranks = call.cast(call.node("Sub", count, positions), np.float32)
    scores = call.node("Where", considered, ranks, _zero(call))
    scores = call.node("Unsqueeze", scores, call.integers(1))
    if prop.id_index >= 0 and not prop.force_suppress:
        scores = _by_class(prop, call, rows, scores)
    chosen = call.node(
        "NonMaxSuppression",
        call.cast(boxes, np.float32),
        scores,
        count,
        call.constant(prop.overlap_thresh, np.float32),
        call.constant(0.5, np.float32),
        center_point_box=int(prop.in_format == "center"),
    )
    where = call.node("Gather", chosen, call.integers(0, 2), axis=1)
    number = call.node("Gather", call.node("Shape", chosen), call.integers(0), axis=0)
    ones = call.node("Expand", call.constant(1, np.float32), number)
    none = call.node("Expand", _zero(call), call.node("Shape", considered))
    marked = call.node("ScatterND", none, where, ones)
    return call.node("Mul", marked, ranks)


def _by_class(prop: Any, call: Any, rows: str, scores: str) -> str:
    """Return the scores with an axis of classes, each of which has zeros for the others."""
    ids = call.cast(_column(call, rows, prop.id_index), _INT)
    first, last = (
        call.reduce(kind, ids, 0, 1, keepdims=False) for kind in ("ReduceMin", "ReduceMax")
    )
    one = call.constant(1, _INT)
    classes = call.node("Range", first, call.node("Add", last, one), one)
    column = call.node("Reshape", classes, call.integers(1, -1, 1))
    is_of_class = call.node("Equal", call.node("Unsqueeze", ids, call.integers(1)), column)
    return call.node("Where", is_of_class, scores, _zero(call))


def _convert(prop: Any, call: Any, rows: str) -> str:
    """Return rows in the format of the output; those that start left of the image stay the same."""
    if prop.in_format == prop.out_format:
        return rows
    start = prop.coord_start
    first, second = (_columns(call, rows, begin, begin + 2) for begin in (start, start + 2))
    half = call.constant(0.5)
    if prop.in_format == "center":
        reach = call.node("Mul", second, half)
        pair = [call.node("Sub", first, reach), call.node("Add", first, reach)]
    else:
        middle = call.node("Mul", call.node("Add", first, second), half)
        pair = [middle, call.node("Sub", second, first)]
    width = call.inputs[0].shape[-1]
    parts = [
        *([_columns(call, rows, 0, start)] if start else []),
        *pair,
        *([_columns(call, rows, start + 4, width)] if start + 4 < width else []),
    ]
    is_outside = call.node("Less", _columns(call, rows, start, start + 1), call.constant(0))
    return call.node("Where", is_outside, rows, call.node("Concat", *parts, axis=2))


def _take_rows(call: Any, rows: str, order: str, width: int) -> str:
    """Return the rows of each image in an order."""
    indices = call.node("Unsqueeze", order, call.integers(2))
    whole = call.node("Tile", indices, call.integers(1, 1, width))
    return call.node("GatherElements", rows, whole, axis=1)


def _columns(call: Any, rows: str, begin: int, end: int) -> str:
    return call.node("Slice", rows, call.integers(begin), call.integers(end), call.integers(2))


def _column(call: Any, rows: str, index: int) -> str:
    return call.node("Gather", rows, call.constant(index, _INT), axis=2)


def _length(call: Any, rows: str) -> str:
    """Return the size of the second axis as a vector of one element."""
    return call.node("Gather", call.node("Shape", rows), call.integers(1), axis=0)


def _zero(call: Any) -> str:
    return call.constant(0, np.float32)
