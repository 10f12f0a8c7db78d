"""NumPy references of the operators of single-shot detectors."""

from typing import Any

import numpy as np

from .references import keep_best, overlap

VARIANCES = (0.1, 0.1, 0.2, 0.2)


def prior(
    data: Any,
    sizes: Any = (1.0,),
    ratios: Any = (1.0,),
    clip: bool = False,
    steps: Any = (-1.0, -1.0),
    offsets: Any = (0.5, 0.5),
) -> Any:
    """Return the result of MultiBoxPrior."""
    height, width = data.shape[2:]
    step_y, step_x = (1 / height, 1 / width) if min(steps) <= 0 else steps
    y, x = np.meshgrid(
        (np.arange(height) + offsets[0]) * step_y,
        (np.arange(width) + offsets[1]) * step_x,
        indexing="ij",
    )
    middle = np.stack([x, y], -1)[:, :, np.newaxis]
    pairs = [(size, ratios[0]) for size in sizes] + [(sizes[0], ratio) for ratio in ratios[1:]]
    half = np.array([[s * height / width * np.sqrt(r), s / np.sqrt(r)] for s, r in pairs]) / 2
    boxes = np.concatenate([middle - half, middle + half], -1).reshape(1, -1, 4)
    return np.clip(boxes, 0, 1) if clip else boxes


def encode(anchors: Any, boxes: Any, variances: Any) -> Any:
    """Return the offsets from anchors to boxes, both given by corners."""
    sides, to_sides = anchors[:, 2:] - anchors[:, :2], boxes[:, 2:] - boxes[:, :2]
    between = (boxes[:, :2] + boxes[:, 2:] - anchors[:, :2] - anchors[:, 2:]) / 2
    return np.concatenate([between / sides, np.log(to_sides / sides)], -1) / variances


def match(overlaps: Any, threshold: float) -> Any:
    """Return the matched object of each anchor, or -1; overlaps have shape (anchors, objects)."""
    matches, left = np.full(len(overlaps), -1), overlaps.copy()
    while left.size and left.max() > 1e-6:
        anchor, target = np.unravel_index(left.argmax(), left.shape)
        matches[anchor] = target
        left[anchor], left[:, target] = 0, 0
    if threshold > 0:
        more = (matches < 0) & (overlaps.max(1) > threshold)
        matches[more] = overlaps.argmax(1)[more]
    return matches


def target(
    anchor: Any,
    label: Any,
    scores: Any,
    overlap_threshold: float = 0.5,
    ignore_label: float = -1.0,
    negative_mining_ratio: float = -1.0,
    negative_mining_thresh: float = 0.5,
    variances: Any = VARIANCES,
) -> Any:
    """Return the result of MultiBoxTarget."""
    boxes, batch, count = anchor[0], len(label), anchor.shape[1]
    offsets, mask = np.zeros((2, batch, count, 4))
    classes = np.full((batch, count), ignore_label)
    for image, rows in enumerate(label):
        objects = rows[: [*rows[:, 0], -1].index(-1)]
        if not len(objects):
            continue
        overlaps = overlap(boxes[:, np.newaxis], objects[:, 1:5])
        matches = match(overlaps, overlap_threshold)
        positive = matches >= 0
        negative = ~positive
        if negative_mining_ratio > 0:
            score = np.exp(scores[image] - scores[image].max(0))
            background = (score / score.sum(0))[0]
            background[positive | (overlaps.max(1) >= negative_mining_thresh)] = np.inf
            wanted = min(int(positive.sum() * negative_mining_ratio), negative.sum())
            negative = np.isin(np.arange(count), np.argsort(background, kind="stable")[:wanted])
        classes[image, negative] = 0
        classes[image, positive] = objects[matches[positive], 0] + 1
        mask[image, positive] = 1
        matched = objects[matches[positive], 1:5]
        offsets[image, positive] = encode(boxes[positive], matched, variances)
    return [offsets.reshape(batch, -1), mask.reshape(batch, -1), classes]


def decode(offsets: Any, anchors: Any, variances: Any) -> Any:
    """Return the corners of boxes decoded from predicted offsets and anchors."""
    sides, offsets = anchors[:, 2:] - anchors[:, :2], offsets * variances
    middle = offsets[:, :2] * sides + (anchors[:, :2] + anchors[:, 2:]) / 2
    half = np.exp(offsets[:, 2:]) * sides / 2
    return np.concatenate([middle - half, middle + half], -1)


def detection(
    scores: Any,
    offsets: Any,
    anchor: Any,
    clip: bool = True,
    threshold: float = 0.01,
    nms_threshold: float = 0.5,
    force_suppress: bool = False,
    variances: Any = VARIANCES,
    nms_topk: int = -1,
) -> Any:
    """Return the result of MultiBoxDetection."""
    out = np.full((len(scores), anchor.shape[1], 6), -1.0)
    for rows, score, offset in zip(out, scores, offsets, strict=True):
        boxes = decode(offset.reshape(-1, 4), anchor[0], variances)
        boxes = np.clip(boxes, 0, 1) if clip else boxes
        best = score[1:].max(0)
        valid = np.column_stack([score[1:].argmax(0), best, boxes])[best >= threshold]
        rows[: len(valid)] = valid
        if not 0 < nms_threshold <= 1:
            continue
        chosen = valid[np.argsort(-valid[:, 1], kind="stable")]
        chosen = chosen[:nms_topk] if nms_topk > 0 else chosen

        def suppressed(a: Any, others: Any) -> Any:
            same_class = force_suppress | (a[0] == others[:, 0])
            return same_class & (overlap(a[2:], others[:, 2:]) >= nms_threshold)

        rows[: len(valid), 0] = -1
        rows[: len(chosen), 1:] = chosen[:, 1:]
        kept = keep_best(chosen, suppressed)
        rows[kept, 0] = chosen[kept, 0]
    return out
