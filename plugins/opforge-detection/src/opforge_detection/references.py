"""NumPy references of the operators on boxes."""

from typing import Any

import numpy as np


def corners(boxes: Any, form: str) -> Any:
    """Return boxes converted from a format to corners."""
    if form == "corner":
        return boxes
    middle, half = boxes[..., :2], boxes[..., 2:4] / 2
    return np.concatenate([middle - half, middle + half], -1)


def area(boxes: Any) -> Any:
    """Return the areas of boxes given by corners; inverted boxes have area 0."""
    sides = boxes[..., 2:4] - boxes[..., :2]
    return np.where((sides < 0).any(-1), 0, sides.prod(-1))


def overlap(a: Any, b: Any) -> Any:
    """Return the intersection over union of boxes given by corners, with broadcasting."""
    begin, end = np.maximum(a[..., :2], b[..., :2]), np.minimum(a[..., 2:4], b[..., 2:4])
    common = np.maximum(end - begin, 0).prod(-1)
    union = area(a) + area(b) - common
    return np.divide(common, union, out=np.zeros_like(common), where=common > 0)


def box_iou(lhs: Any, rhs: Any, format: str = "corner") -> Any:
    """Return the result of box_iou."""
    a, b = (corners(boxes, format).reshape(-1, 4) for boxes in (lhs, rhs))
    return overlap(a[:, np.newaxis], b).reshape(lhs.shape[:-1] + rhs.shape[:-1])


def keep_best(boxes: Any, suppressed: Any) -> list[int]:
    """Return the indices of the boxes, best first, that no better box suppresses.

    ``suppressed(a, others)`` returns a mask of the other boxes that box `a` suppresses.
    """
    kept, left = [], np.arange(len(boxes))
    while left.size:
        best, left = int(left[0]), left[1:]
        kept.append(best)
        left = left[~suppressed(boxes[best], boxes[left])]
    return kept


def box_nms(data: Any, **attributes: Any) -> Any:
    """Return the result of box_nms."""
    if attributes.get("topk") == 0:  # as in MXNet
        return data
    out = np.full(data.shape, -1.0)
    images = data.reshape(int(np.prod(data.shape[:-2])), *data.shape[-2:])
    for rows, kept in zip(images, out.reshape(images.shape), strict=True):
        best = nms_rows(rows, **attributes)
        kept[: len(best)] = best
    return out


def classes_of(ids: Any) -> Any:
    """Return ids truncated to classes; NaN is a separate class."""
    return np.trunc(np.nan_to_num(ids, nan=-(2.0**31)))


def nms_rows(
    rows: Any,
    overlap_thresh: float = 0.5,
    valid_thresh: float = 0.0,
    topk: int = -1,
    coord_start: int = 2,
    score_index: int = 1,
    id_index: int = -1,
    background_id: int = -1,
    force_suppress: bool = False,
    in_format: str = "corner",
    out_format: str = "corner",
) -> Any:
    """Return the rows of one image that are kept."""
    box = slice(coord_start, coord_start + 4)
    valid = rows[:, score_index] > valid_thresh
    if id_index >= 0:
        valid &= rows[:, id_index] != background_id
    chosen = rows[valid][np.argsort(-rows[valid, score_index], kind="stable")]
    chosen = chosen if topk < 0 else chosen[:topk]

    def suppressed(a: Any, others: Any) -> Any:
        shared = overlap(corners(a[box], in_format), corners(others[:, box], in_format))
        if force_suppress or id_index < 0:
            return shared > overlap_thresh
        same_class = classes_of(a[id_index]) == classes_of(others[:, id_index])
        return same_class & (shared > overlap_thresh)

    kept = chosen[keep_best(chosen, suppressed)]
    if in_format != out_format:
        kept[:, box] = convert(kept[:, box], out_format)
    return kept


def convert(boxes: Any, to: str) -> Any:
    """Return boxes in the other format; boxes that start below 0 are unchanged, as in MXNet."""
    if to == "corner":
        converted = corners(boxes, "center")
    else:
        sides = boxes[:, 2:] - boxes[:, :2]
        converted = np.concatenate([boxes[:, :2] + boxes[:, 2:], 2 * sides], -1) / 2
    return np.where(boxes[:, :1] < 0, boxes, converted)


def matching(data: Any, threshold: float, is_ascend: bool = False, topk: int = -1) -> Any:
    """Return the result of bipartite_matching."""
    of_rows = np.full(data.shape[:-1], -1.0)
    of_columns = np.full((*data.shape[:-2], data.shape[-1]), -1.0)
    sign = 1 if is_ascend else -1
    for matrix in np.ndindex(*data.shape[:-2]):
        scores, matched = sign * data[matrix], 0
        for flat in np.argsort(scores, axis=None, kind="stable"):
            row, column = np.unravel_index(flat, scores.shape)
            free = of_rows[matrix][row] == of_columns[matrix][column] == -1
            if free and scores[row, column] < sign * threshold and not 0 < topk < matched:
                of_rows[matrix][row], of_columns[matrix][column] = column, row
                matched += 1
    return [of_rows, of_columns]


def box_encode(samples: Any, matches: Any, anchors: Any, refs: Any, means: Any, stds: Any) -> Any:
    """Return the result of box_encode."""
    matched = np.take_along_axis(refs, matches.astype(int)[..., np.newaxis], 1)
    sides, to_sides = (x[..., 2:] - x[..., :2] for x in (anchors, matched))
    between = (matched[..., :2] + matched[..., 2:] - anchors[..., :2] - anchors[..., 2:]) / 2
    offsets = np.concatenate([between / sides, np.log(to_sides / sides)], -1)
    positive = samples[..., np.newaxis] > 0.5
    masks = np.broadcast_to(positive, offsets.shape) * 1.0
    return [np.where(positive, (offsets - means) / stds, 0), masks]


def box_decode(
    data: Any,
    anchors: Any,
    std0: float = 1.0,
    std1: float = 1.0,
    std2: float = 1.0,
    std3: float = 1.0,
    clip: float = -1.0,
    format: str = "center",
) -> Any:
    """Return the result of box_decode."""
    middle, sides = anchors[..., :2], anchors[..., 2:]
    if format == "corner":
        middle, sides = (middle + sides) / 2, sides - middle
    growth = data[..., 2:] * (std2, std3)
    growth = np.minimum(growth, clip) if clip > 0 else growth
    middle = data[..., :2] * (std0, std1) * sides + middle
    half = np.exp(growth) * sides / 2
    return np.concatenate([middle - half, middle + half], -1)
