"""NumPy references of Proposal and MultiProposal."""

from typing import Any

import numpy as np

from .anchors import anchors_of
from .references import keep_best, overlap


def proposal(
    scores: Any,
    offsets: Any,
    info: Any,
    rpn_pre_nms_top_n: int = 6000,
    rpn_post_nms_top_n: int = 300,
    threshold: float = 0.7,
    rpn_min_size: int = 16,
    scales: Any = (4.0, 8.0, 16.0, 32.0),
    ratios: Any = (0.5, 1.0, 2.0),
    feature_stride: int = 16,
    output_score: bool = False,
) -> Any:
    """Return the result of Proposal and MultiProposal."""
    batch, _, height, width = scores.shape
    y, x = np.meshgrid(np.arange(height), np.arange(width), indexing="ij")
    shift = feature_stride * np.stack([x, y, x, y], -1)[:, :, np.newaxis]
    anchors = (shift + anchors_of(feature_stride, scales, ratios)).reshape(-1, 4)
    regions, best = [], []
    for image in range(batch):
        offset = offsets[image].reshape(-1, 4, height, width).transpose(2, 3, 0, 1).reshape(-1, 4)
        score = np.split(scores[image], 2)[1].transpose(1, 2, 0).copy()
        rows, columns = (info[image, :2] // feature_stride).astype(int)
        score[rows:], score[:, columns:] = -1, -1
        sides = anchors[:, 2:] - anchors[:, :2] + 1
        middle = offset[:, :2] * sides + (anchors[:, :2] + anchors[:, 2:]) / 2
        half = (np.exp(offset[:, 2:]) * sides - 1) / 2
        boxes = np.concatenate([middle - half, middle + half], -1)
        boxes = np.clip(boxes, 0, info[image, [1, 0, 1, 0]] - 1)
        min_size = rpn_min_size * info[image, 2]
        small = (boxes[:, 2:] - boxes[:, :2] + 1 < min_size).any(-1)
        boxes[small] += min_size / 2 * np.array([-1, -1, 1, 1])
        score = np.where(small, -1, score.ravel())
        order = np.argsort(-score, kind="stable")
        order = order[:rpn_pre_nms_top_n] if rpn_pre_nms_top_n > 0 else order

        def suppressed(a: Any, others: Any) -> Any:
            return overlap(*(box + (0, 0, 1, 1) for box in (a, others))) > threshold

        kept = order[keep_best(boxes[order], suppressed)][:rpn_post_nms_top_n]
        kept = np.resize(kept, rpn_post_nms_top_n)
        regions.append(np.insert(boxes[kept], 0, image, axis=1))
        best.append(score[kept])
    outputs = [np.concatenate(regions), np.concatenate(best)[:, np.newaxis]]
    return outputs if output_score else outputs[0]
