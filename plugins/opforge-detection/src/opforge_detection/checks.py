"""What ``opforge check`` is told of these operators; nothing else imports this module."""

from typing import Any

import numpy as np

from . import multibox_references, references, region_checks


def call(*inputs: Any, **attributes: Any) -> dict[str, Any]:
    """Return a sample of an operator whose inputs get zeros as gradients."""
    return {"inputs": list(inputs), "attributes": attributes, "wanted": []}


def boxes(rng: Any, *shape: int) -> Any:
    """Return boxes in corners, some of which overlap."""
    begin = rng.uniform(0, 1, (*shape, 2))
    return np.concatenate([begin, begin + rng.uniform(0.2, 1, (*shape, 2))], -1)


def iou_samples(rng: Any) -> list[Any]:
    """Return calls with several axes and both formats."""
    return [
        call(boxes(rng, 3), boxes(rng, 5)),
        call(boxes(rng, 2, 3), boxes(rng, 4), format="center"),
        call(-boxes(rng, 3), boxes(rng, 2, 2)),
    ]


def scored(rng: Any, *shape: int) -> Any:
    """Return rows of class, score and box; no two scores are close, for differences."""
    classes = rng.integers(0, 3, shape)
    scores = rng.permutation(np.linspace(-0.2, 1, classes.size)).reshape(shape)
    return np.concatenate(
        [classes[..., np.newaxis], scores[..., np.newaxis], boxes(rng, *shape)], -1
    )


def nms_samples(rng: Any) -> list[Any]:
    """Return calls with classes and without, of both formats."""
    kinds: list[dict[str, Any]] = [
        {},
        {"id_index": 0, "overlap_thresh": 0.2, "topk": 5},
        {"in_format": "center", "out_format": "center", "overlap_thresh": 0.1},
        # Not to be differentiated: 1.0001 is not the background.
        {"id_index": 0, "background_id": 1, "force_suppress": True, "valid_thresh": 0.1},
    ]
    made = [{"inputs": [scored(rng, 2, 7)], "attributes": kind} for kind in kinds]
    return [*made[:-1], {**made[-1], "wanted": []}]


def target_samples(rng: Any) -> list[Any]:
    """Return calls with no, some and all labels, with mining and without."""
    label = np.concatenate([rng.integers(0, 3, (3, 4, 1)), boxes(rng, 3, 4)], -1)
    label[0], label[1, 2:] = -1, -1
    kinds: list[dict[str, Any]] = [
        {},
        {"overlap_threshold": 0.3, "ignore_label": -2.0},
        {"negative_mining_ratio": 0.6, "overlap_threshold": 0.6, "negative_mining_thresh": 0.55},
    ]
    inputs = boxes(rng, 1, 20), label, rng.normal(size=(3, 4, 20))
    return [call(*inputs, **kind) for kind in kinds]


def detection_samples(rng: Any) -> list[Any]:
    """Return calls with a threshold, top boxes and no suppression."""
    scores = rng.dirichlet(np.ones(4), (2, 9)).transpose(0, 2, 1)
    kinds: list[dict[str, Any]] = [
        {},
        {"threshold": 0.4, "clip": False, "variances": (0.3, 0.2, 0.1, 0.2)},
        {"nms_threshold": 0.2, "force_suppress": True},
        {"nms_topk": 3},
        {"nms_threshold": 0.0},
    ]
    return [call(scores, (2, 36), boxes(rng, 1, 9), **kind) for kind in kinds]


OPERATOR_CHECKS: dict[str, dict[str, Any]] = {
    "_contrib_box_iou": {"reference": references.box_iou, "samples": iou_samples},
    "_contrib_box_nms": {"reference": references.box_nms, "samples": nms_samples},
    "_contrib_MultiBoxPrior": {
        "reference": multibox_references.prior,
        "samples": [
            call((1, 2, 3, 4)),
            call((2, 1, 2, 3), sizes=(0.7, 0.3), ratios=(1, 2, 0.5), clip=True),
            call((1, 1, 2, 2), steps=(0.1, 0.2), offsets=(0.0, 1.0)),
        ],
    },
    "_contrib_MultiBoxTarget": {
        "reference": multibox_references.target,
        "samples": target_samples,
    },
    "_contrib_MultiBoxDetection": {
        "reference": multibox_references.detection,
        "samples": detection_samples,
    },
}

OPERATOR_CHECKS |= region_checks.OPERATOR_CHECKS
