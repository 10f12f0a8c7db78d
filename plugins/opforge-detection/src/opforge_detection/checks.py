"""What ``opforge check`` is told of these operators; nothing else imports this module."""

from typing import Any

import numpy as np

from . import references


def call(*inputs: Any, **attributes: Any) -> dict[str, Any]:
    """Return a sample of an operator whose inputs get zeros as gradients."""
    return {"inputs": list(inputs), "attributes": attributes, "wanted": []}


def boxes(rng: Any, *shape: int) -> Any:
    """Return boxes in corners, some of which overlap."""
    begin = rng.uniform(0, 1, (*shape, 2))
    return _corners(begin, begin + rng.uniform(0.2, 1, (*shape, 2)))


def _corners(begin: Any, end: Any) -> Any:
    return np.concatenate([begin, end], -1)


def iou_samples(rng: Any) -> list[Any]:
    """Return calls with several axes and both formats."""
    return [
        call(boxes(rng, 3), boxes(rng, 5)),
        call(boxes(rng, 2, 3), boxes(rng, 4), format="center"),
        call(-boxes(rng, 3), boxes(rng, 2, 2)),
    ]


OPERATOR_CHECKS: dict[str, dict[str, Any]] = {
    "_contrib_box_iou": {"reference": references.box_iou, "samples": iou_samples},
}
