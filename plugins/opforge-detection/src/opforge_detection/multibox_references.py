"""References of the operators of single-shot detectors, in NumPy."""

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
    """Return the reference of MultiBoxPrior."""
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
    made = np.concatenate([middle - half, middle + half], -1).reshape(1, -1, 4)
    return np.clip(made, 0, 1) if clip else made


def encode(anchors: Any, boxes: Any, variances: Any) -> Any:
    """Return how anchors are to be moved onto boxes, both in corners."""
    sides, to_sides = anchors[:, 2:] - anchors[:, :2], boxes[:, 2:] - boxes[:, :2]
    between = (boxes[:, :2] + boxes[:, 2:] - anchors[:, :2] - anchors[:, 2:]) / 2
    return np.concatenate([between / sides, np.log(to_sides / sides)], -1) / variances


def match(shares: Any, threshold: float) -> Any:
    """Return the object of each anchor, or -1, from overlaps of shape (anchors, objects)."""
    found, left = np.full(len(shares), -1), shares.copy()
    while left.size and left.max() > 1e-6:
        anchor, thing = np.unravel_index(left.argmax(), left.shape)
        found[anchor] = thing
        left[anchor], left[:, thing] = 0, 0
    if threshold > 0:
        more = (found < 0) & (shares.max(1) > threshold)
        found[more] = shares.argmax(1)[more]
    return found


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
    """Return the reference of MultiBoxTarget."""
    boxes, batch, count = anchor[0], len(label), anchor.shape[1]
    moves, mask = np.zeros((2, batch, count, 4))
    classes = np.full((batch, count), ignore_label)
    for at, rows in enumerate(label):
        objects = rows[: [*rows[:, 0], -1].index(-1)]
        if not len(objects):
            continue
        shares = overlap(boxes[:, np.newaxis], objects[:, 1:5])
        found = match(shares, overlap_threshold)
        yes = found >= 0
        negative = ~yes
        if negative_mining_ratio > 0:
            score = np.exp(scores[at] - scores[at].max(0))
            sure = (score / score.sum(0))[0]
            sure[yes | (shares.max(1) >= negative_mining_thresh)] = np.inf
            wanted = min(int(yes.sum() * negative_mining_ratio), negative.sum())
            negative = np.isin(np.arange(count), np.argsort(sure, kind="stable")[:wanted])
        classes[at, negative] = 0
        classes[at, yes] = objects[found[yes], 0] + 1
        mask[at, yes] = 1
        moves[at, yes] = encode(boxes[yes], objects[found[yes], 1:5], variances)
    return [moves.reshape(batch, -1), mask.reshape(batch, -1), classes]


def decode(moves: Any, anchors: Any, variances: Any) -> Any:
    """Return the boxes that predictions make of anchors, in corners."""
    sides, moves = anchors[:, 2:] - anchors[:, :2], moves * variances
    middle = moves[:, :2] * sides + (anchors[:, :2] + anchors[:, 2:]) / 2
    half = np.exp(moves[:, 2:]) * sides / 2
    return np.concatenate([middle - half, middle + half], -1)


def detection(
    scores: Any,
    moves: Any,
    anchor: Any,
    clip: bool = True,
    threshold: float = 0.01,
    nms_threshold: float = 0.5,
    force_suppress: bool = False,
    variances: Any = VARIANCES,
    nms_topk: int = -1,
) -> Any:
    """Return the reference of MultiBoxDetection."""
    out = np.full((len(scores), anchor.shape[1], 6), -1.0)
    for rows, score, move in zip(out, scores, moves, strict=True):
        boxes = decode(move.reshape(-1, 4), anchor[0], variances)
        boxes = np.clip(boxes, 0, 1) if clip else boxes
        best = score[1:].max(0)
        made = np.column_stack([score[1:].argmax(0), best, boxes])[best >= threshold]
        rows[: len(made)] = made
        if not 0 < nms_threshold <= 1:
            continue
        chosen = made[np.argsort(-made[:, 1], kind="stable")]
        chosen = chosen[:nms_topk] if nms_topk > 0 else chosen

        def gone(a: Any, others: Any) -> Any:
            alike = force_suppress | (a[0] == others[:, 0])
            return alike & (overlap(a[2:], others[:, 2:]) >= nms_threshold)

        rows[: len(made), 0] = -1
        rows[: len(chosen), 1:] = chosen[:, 1:]
        kept = keep_best(chosen, gone)
        rows[kept, 0] = chosen[kept, 0]
    return out
