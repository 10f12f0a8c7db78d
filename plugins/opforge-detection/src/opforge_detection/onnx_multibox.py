"""Translation of the operators of single-shot detectors to ONNX."""

from typing import Any

import numpy as np

from opforge.plugin_api import F

from .onnx_boxes import decode
from .onnx_rows import column, columns, count_rows, suppress, take_rows

__all__ = ["detection", "prior"]

#: Columns of a detection: class, score and corners.
_WIDTH = 6


def prior(prop: Any, call: Any) -> Any:
    """Translate MultiBoxPrior: the anchors of a map of known size are a constant."""
    data = call.inputs[0]
    call.require_fixed(data, 2, 3)
    anchors = F.contrib.MultiBoxPrior(F.zeros((1, 1, *data.shape[2:])), **prop.attribute_strings())
    return call.constant(anchors.asnumpy())


def detection(prop: Any, call: Any) -> Any:
    """Translate MultiBoxDetection.

    Suppressed boxes keep their rows and lose their class. As in MXNet, rows from `nms_topk` on are
    not sorted.
    """
    rows, is_valid = _rows(prop, call)
    length = count_rows(call, rows)
    valid_first = call.node("TopK", call.cast(is_valid, np.float32), length, axis=1, outputs=2)[1]
    unsorted = take_rows(call, rows, valid_first, _WIDTH)
    if not 0 < prop.nms_threshold <= 1:
        return unsorted
    low = call.constant(np.finfo(call.outputs[0].dtype).min)
    scores = call.node("Where", is_valid, column(call, rows, 1), low)
    best, order = call.node("TopK", scores, length, axis=1, outputs=2)
    ranked, considered = take_rows(call, rows, order, _WIDTH), call.node("Greater", best, low)
    if prop.nms_topk > 0:
        is_top = _is_top(call, length, prop.nms_topk)
        considered = call.node("And", considered, is_top)
        column_of_top = call.node("Unsqueeze", is_top, call.integers(1))
        ranked = call.node("Where", column_of_top, ranked, unsorted)
    ids = None if prop.force_suppress else column(call, ranked, 0)
    boxes = columns(call, ranked, 2, _WIDTH)
    kept = suppress(call, boxes, considered, ids, prop.nms_threshold)
    is_kept = call.node("Greater", kept, call.constant(0, np.float32))
    is_kept = call.node("Unsqueeze", is_kept, call.integers(2))
    classes = call.node("Where", is_kept, columns(call, ranked, 0, 1), call.constant(-1))
    return call.node("Concat", classes, columns(call, ranked, 1, _WIDTH), axis=2)


def _rows(prop: Any, call: Any) -> tuple[Any, Any]:
    """Return a row for each anchor, of -1 for the background, and which are not."""
    probabilities, offsets, anchors = call.inputs
    end = np.iinfo(np.int64).max
    objects = call.node("Slice", probabilities, *map(call.integers, (1, end, 1)))
    scores = call.reduce("ReduceMax", objects, 1, keepdims=False)
    classes = call.cast(call.node("ArgMax", objects, axis=1, keepdims=0), call.outputs[0].dtype)
    shifts = call.node("Reshape", offsets, call.integers(0, -1, 4))
    boxes = decode(call, shifts, anchors, prop.variances, are_corners=True)
    if prop.clip:
        boxes = call.node("Clip", boxes, call.constant(0), call.constant(1))
    pair = [call.node("Unsqueeze", numbers, call.integers(2)) for numbers in (classes, scores)]
    is_valid = call.node("GreaterOrEqual", scores, call.constant(prop.threshold))
    is_row = call.node("Unsqueeze", is_valid, call.integers(2))
    rows = call.node("Concat", *pair, boxes, axis=2)
    return call.node("Where", is_row, rows, call.constant(-1)), is_valid


def _is_top(call: Any, length: Any, count: int) -> Any:
    """Return which of the rows of an image are the first ones."""
    end = call.node("Squeeze", length, call.integers(0))
    zero, one = call.constant(0, np.int64), call.constant(1, np.int64)
    return call.node("Less", call.node("Range", zero, end, one), call.constant(count, np.int64))
