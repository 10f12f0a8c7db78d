"""References and sample calls for ``opforge check``, the only importer of this module."""

from typing import Any

import numpy as np

from . import multibox_references, proposal_references, references, region_checks


def call(*inputs: Any, **attributes: Any) -> dict[str, Any]:
    """Return a sample call whose inputs have zero gradients."""
    return {"inputs": list(inputs), "attributes": attributes, "wanted": []}


def boxes(rng: Any, *shape: int) -> Any:
    """Return corners of boxes, some of which overlap."""
    begin = rng.uniform(0, 1, (*shape, 2))
    return np.concatenate([begin, begin + rng.uniform(0.2, 1, (*shape, 2))], -1)


def iou_samples(rng: Any) -> list[Any]:
    """Return sample calls with several axes and both formats."""
    return [
        call(boxes(rng, 3), boxes(rng, 5)),
        call(boxes(rng, 2, 3), boxes(rng, 4), format="center"),
        call(-boxes(rng, 3), boxes(rng, 2, 2)),
    ]


def scored(rng: Any, *shape: int) -> Any:
    """Return rows of class, score and box; scores differ enough for finite differences."""
    classes = rng.integers(0, 3, shape)
    scores = rng.permutation(np.linspace(-0.2, 1, classes.size)).reshape(shape)
    return np.concatenate(
        [classes[..., np.newaxis], scores[..., np.newaxis], boxes(rng, *shape)], -1
    )


def nms_samples(rng: Any) -> list[Any]:
    """Return sample calls with and without classes, in both formats."""
    variants: list[dict[str, Any]] = [
        {},
        {"id_index": 0, "overlap_thresh": 0.2, "topk": 5},
        {"in_format": "center", "out_format": "center", "overlap_thresh": 0.1},
        # Not differentiable: class 1.0001 is not the background.
        {"id_index": 0, "background_id": 1, "force_suppress": True, "valid_thresh": 0.1},
    ]
    calls = [{"inputs": [scored(rng, 2, 7)], "attributes": variant} for variant in variants]
    return [*calls[:-1], {**calls[-1], "wanted": []}]


def target_samples(rng: Any) -> list[Any]:
    """Return sample calls with no, some and all labels, with and without mining."""
    label = np.concatenate([rng.integers(0, 3, (3, 4, 1)), boxes(rng, 3, 4)], -1)
    label[0], label[1, 2:] = -1, -1
    variants: list[dict[str, Any]] = [
        {},
        {"overlap_threshold": 0.3, "ignore_label": -2.0},
        {"negative_mining_ratio": 0.6, "overlap_threshold": 0.6, "negative_mining_thresh": 0.55},
    ]
    inputs = boxes(rng, 1, 20), label, rng.normal(size=(3, 4, 20))
    return [call(*inputs, **variant) for variant in variants]


def detection_samples(rng: Any) -> list[Any]:
    """Return sample calls with a threshold, with top boxes and without suppression."""
    scores = rng.dirichlet(np.ones(4), (2, 9)).transpose(0, 2, 1)
    variants: list[dict[str, Any]] = [
        {},
        {"threshold": 0.4, "clip": False, "variances": (0.3, 0.2, 0.1, 0.2)},
        {"nms_threshold": 0.2, "force_suppress": True},
        {"nms_topk": 3},
        {"nms_threshold": 0.0},
    ]
    return [call(scores, (2, 36), boxes(rng, 1, 9), **variant) for variant in variants]


def matching_samples(rng: Any) -> list[Any]:
    """Return sample calls with both orders; no two scores are close."""
    data = rng.permutation(np.linspace(-0.2, 1, 40)).reshape(2, 4, 5)
    return [
        call(data, threshold=0.2),
        call(data[0], threshold=0.8, is_ascend=True),
        call(data, threshold=-1.0, topk=2),
    ]


def encode_samples(rng: Any) -> list[Any]:
    """Return a sample call with positive, negative and ignored samples."""
    inputs = [
        rng.integers(-1, 2, (2, 6)),
        rng.integers(0, 3, (2, 6)),
        boxes(rng, 2, 6),
        boxes(rng, 2, 3),
        rng.normal(size=4),
        rng.uniform(0.1, 1, 4),
    ]
    return [call(*(np.asarray(x, "float64") for x in inputs))]


def decode_samples(rng: Any) -> list[Any]:
    """Return sample calls of both formats, with and without limits."""
    stds = {"std0": 0.1, "std1": 0.2, "std2": 0.3, "std3": 2.0}
    return [
        call((2, 5, 4), boxes(rng, 1, 5)),
        call((2, 5, 4), boxes(rng, 1, 5), format="corner", clip=0.5, **stds),
    ]


def proposal_call(rng: Any, batch: int, **attributes: Any) -> Any:
    """Return a sample call on a map of 4 by 5 that is slightly larger than its images."""
    info = np.tile([60.0, 71.0, 0.9], (batch, 1))
    return call(
        rng.permutation(np.linspace(0, 1, batch * 80)).reshape(batch, 4, 4, 5),
        rng.normal(size=(batch, 8, 4, 5)) * 0.3,
        info,
        **{"scales": (1.0, 2.0), "ratios": (0.7,), **attributes},
    )


def proposal_samples(rng: Any) -> list[Any]:
    """Return sample calls with all boxes and with few."""
    return [
        proposal_call(rng, 1, rpn_post_nms_top_n=50, rpn_min_size=8),
        proposal_call(rng, 1, rpn_pre_nms_top_n=9, rpn_post_nms_top_n=6, output_score=True),
    ]


def multi_proposal_samples(rng: Any) -> list[Any]:
    """Return the samples of Proposal and one with several images."""
    return [
        *proposal_samples(rng),
        proposal_call(rng, 3, rpn_post_nms_top_n=5, threshold=0.2, rpn_min_size=4),
    ]


OPERATOR_CHECKS: dict[str, dict[str, Any]] = {
    "_contrib_box_iou": {"reference": references.box_iou, "samples": iou_samples},
    "_contrib_box_nms": {"reference": references.box_nms, "samples": nms_samples},
    "_contrib_bipartite_matching": {
        "reference": references.matching,
        "samples": matching_samples,
    },
    "_contrib_box_encode": {"reference": references.box_encode, "samples": encode_samples},
    "_contrib_box_decode": {"reference": references.box_decode, "samples": decode_samples},
    "_contrib_Proposal": {
        "reference": proposal_references.proposal,
        "samples": proposal_samples,
    },
    "_contrib_MultiProposal": {
        "reference": proposal_references.proposal,
        "samples": multi_proposal_samples,
    },
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
