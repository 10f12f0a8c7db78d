"""References of the operators on boxes, in NumPy."""

from typing import Any

import numpy as np


def corners(boxes: Any, form: str) -> Any:
    """Return boxes of a format as corners."""
    if form == "corner":
        return boxes
    middle, half = boxes[..., :2], boxes[..., 2:4] / 2
    return np.concatenate([middle - half, middle + half], -1)


def area(boxes: Any) -> Any:
    """Return the areas of boxes in corners; inverted ones have none."""
    sides = boxes[..., 2:4] - boxes[..., :2]
    return np.where((sides < 0).any(-1), 0, sides.prod(-1))


def overlap(a: Any, b: Any) -> Any:
    """Return intersection over union of boxes in corners, broadcast."""
    begin, end = np.maximum(a[..., :2], b[..., :2]), np.minimum(a[..., 2:4], b[..., 2:4])
    common = np.maximum(end - begin, 0).prod(-1)
    union = area(a) + area(b) - common
    return np.divide(common, union, out=np.zeros_like(common), where=common > 0)


def box_iou(lhs: Any, rhs: Any, format: str = "corner") -> Any:
    """Return the reference of box_iou."""
    a, b = (corners(boxes, format).reshape(-1, 4) for boxes in (lhs, rhs))
    return overlap(a[:, np.newaxis], b).reshape(lhs.shape[:-1] + rhs.shape[:-1])
