"""Translation of Proposal and MultiProposal to ONNX."""

from typing import Any

import numpy as np

from .anchors import anchors_of
from .onnx_boxes import decode
from .onnx_rows import columns, suppress, take_rows

__all__ = ["proposal"]


def proposal(prop: Any, call: Any) -> list[Any]:
    """Translate Proposal and MultiProposal."""
    scores = call.inputs[0]
    call.require_fixed(scores, 2, 3)
    boxes, scores_of_boxes = _score(prop, call, _boxes(prop, call))
    count, wanted = int(np.prod(scores.shape[1:])) // 2, prop.rpn_post_nms_top_n
    if prop.rpn_pre_nms_top_n > 0:
        count = min(count, prop.rpn_pre_nms_top_n)
    best, order = call.node("TopK", scores_of_boxes, call.integers(count), axis=1, outputs=2)
    ranked = take_rows(call, boxes, order, 4)
    # The pixels at the right and the bottom are inside of a box.
    areas = call.node("Add", ranked, call.constant([0, 0, 1, 1]))
    kept = suppress(call, areas, call.node("Equal", best, best), None, prop.threshold)
    chosen = _repeat(call, kept, count, wanted)
    numbers = call.node("Reshape", call.arange(scores, 0), call.integers(-1, 1, 1))
    images = call.node("Expand", call.cast(numbers, scores.dtype), call.integers(1, wanted, 1))
    regions = call.node("Concat", images, take_rows(call, ranked, chosen, 4), axis=2)
    found = [call.node("Reshape", regions, call.integers(-1, 5))]
    if prop.output_score:
        best_of_chosen = call.node("GatherElements", best, chosen, axis=1)
        found.append(call.node("Reshape", best_of_chosen, call.integers(-1, 1)))
    return found


def _boxes(prop: Any, call: Any) -> Any:
    """Return the corners of all boxes of an image, clipped to it."""
    scores, offsets, info = call.inputs
    height, width = scores.shape[2:]
    rows, columns_of_map = np.indices((height, width)) * prop.feature_stride
    shifts = np.stack([columns_of_map, rows] * 2, -1)[:, :, None]
    anchors = (shifts + anchors_of(prop.feature_stride, prop.scales, prop.ratios)).reshape(1, -1, 4)
    by_anchor = call.node("Reshape", offsets, call.integers(0, -1, 4, height, width))
    moved = call.node("Transpose", by_anchor, perm=[0, 3, 4, 1, 2])
    deltas = call.node("Reshape", moved, call.integers(0, -1, 4))
    if prop.iou_loss:
        boxes = call.node("Add", deltas, call.constant(anchors))
    else:
        begin, end = anchors[..., :2], anchors[..., 2:]
        centered = call.constant(np.concatenate([(begin + end) / 2, end - begin + 1], -1))
        decoded = decode(call, deltas, centered, [1, 1, 1, 1], are_corners=False)
        boxes = call.node("Add", decoded, call.constant([0.5, 0.5, -0.5, -0.5]))
    sizes = call.node("Gather", info, call.integers(1, 0, 1, 0), axis=1)
    last = call.node("Unsqueeze", call.node("Sub", sizes, call.constant(1)), call.integers(1))
    return call.node("Max", call.node("Min", boxes, last), call.constant(0))


def _score(prop: Any, call: Any, boxes: Any) -> tuple[Any, Any]:
    """Return the boxes with those below the minimum size grown, and their scores.

    The score is -1 for these and for those of pixels outside of the image.
    """
    scores, _, info = call.inputs
    objects = call.node("Slice", scores, *map(call.integers, (scores.shape[1] // 2, 2**31, 1)))
    moved = call.node("Transpose", objects, perm=[0, 2, 3, 1])
    flat = call.node("Reshape", moved, call.integers(0, -1))
    strides = call.node("Div", info, call.constant(prop.feature_stride))
    positions = np.indices(scores.shape[2:]).reshape(2, 1, -1).repeat(scores.shape[1] // 2, -1)
    within = [
        call.node("Less", call.constant(numbers), call.node("Floor", _entry(call, strides, index)))
        for index, numbers in enumerate(positions)
    ]
    least = call.node("Mul", _entry(call, info, 2), call.constant(prop.rpn_min_size))
    sides = call.node("Sub", columns(call, boxes, 2, 4), columns(call, boxes, 0, 2))
    shorter = call.reduce("ReduceMin", sides, 2, keepdims=False)
    is_small = call.node("Less", call.node("Add", shorter, call.constant(1)), least)
    is_valid = call.node("And", call.node("And", *within), call.node("Not", is_small))
    half = call.node("Unsqueeze", call.node("Mul", least, call.constant(0.5)), call.integers(2))
    grown = call.node("Add", boxes, call.node("Mul", half, call.constant([-1, -1, 1, 1])))
    rows = call.node("Where", call.node("Unsqueeze", is_small, call.integers(2)), grown, boxes)
    return rows, call.node("Where", is_valid, flat, call.constant(-1))


def _entry(call: Any, info: Any, index: int) -> Any:
    """Return a number of each image as a column."""
    return call.node("Gather", info, call.integers(index), axis=1)


def _repeat(call: Any, kept: Any, count: int, wanted: int) -> Any:
    """Return the indices of the rows that are kept, repeated or cut to a number."""
    ranks, order = call.node("TopK", kept, call.integers(count), axis=1, outputs=2)
    is_kept = call.node("Greater", ranks, call.constant(0, np.float32))
    number = call.reduce("ReduceSum", call.cast(is_kept, np.int64), 1)
    positions = call.node("Mod", call.integers(*range(wanted)), number)
    return call.node("GatherElements", order, positions, axis=1)
