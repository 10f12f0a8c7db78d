"""Checks for ``opforge check`` of operators on regions, and of Correlation."""

from typing import Any

import numpy as np

from . import correlation_reference, region_references

PICTURES = (2, 8, 5, 6)


def rois(rng: Any, n: int) -> Any:
    """Return boxes of two images of `PICTURES` at half their size; one is of none."""
    begin = rng.uniform(-2, 6, (n, 2))
    image = rng.integers(0, 2, (n, 1))
    image[-1] = -1
    return np.concatenate([image, begin, begin + rng.uniform(1, 9, (n, 2))], 1)


def region(*inputs: Any, **attributes: Any) -> dict[str, Any]:
    """Return a sample of an operator on boxes, which get zeros as gradients."""
    wanted = [at for at in range(len(inputs)) if at != 1]
    values = {"spatial_scale": 0.5, **attributes}
    return {"inputs": list(inputs), "attributes": values, "wanted": wanted}


def align_samples(rng: Any) -> list[Any]:
    """Return calls with samples by number and by size, few boxes and many."""
    size = {"pooled_size": (2, 3)}
    return [
        region(PICTURES, rois(rng, 3), **size, sample_ratio=2),
        region((2, 70, 3, 2), rois(rng, 4), **size, aligned=True),
        region((2, 12, 5, 6), rois(rng, 3), **size, position_sensitive=True),
    ]


def rotated_samples(rng: Any) -> list[Any]:
    """Return calls with boxes turned by any angle."""
    turned = [np.concatenate([rois(rng, n), rng.uniform(-180, 180, (n, 1))], 1) for n in (2, 9)]
    return [
        region(PICTURES, turned[0], pooled_size=(2, 3), sampling_ratio=2),
        region(PICTURES, turned[1], pooled_size=(3, 2)),
    ]


def part_samples(rng: Any) -> list[Any]:
    """Return calls with as many parts as bins, and with fewer."""
    size = {"output_dim": 2, "pooled_size": 4, "group_size": 2}
    return [
        region((2, 9, 5, 6), rois(rng, 3), output_dim=1, pooled_size=3, group_size=3),
        region(PICTURES, rois(rng, 3), **size),
    ]


def deformed_samples(rng: Any) -> list[Any]:
    """Return calls of bins that move, each class by itself or together, or stay."""
    size = {"output_dim": 2, "pooled_size": 2, "group_size": 2, "sample_per_part": 3}
    boxes = rois(rng, 3)
    moves = [rng.uniform(-1, 1, (3, 2 * classes, 2, 2)) for classes in (1, 2)]
    return [
        region(PICTURES, boxes, moves[0], **size, trans_std=0.125),
        region(PICTURES, boxes, moves[1], **size, trans_std=0.25),
        region(PICTURES, boxes, **size, no_trans=True),
    ]


def pooling_samples(rng: Any) -> list[Any]:
    """Return calls with few boxes and many."""
    size = {"pooled_size": (2, 3)}
    return [region((2, 2, 9, 9), rois(rng, 2), **size), region((2, 70, 5, 6), rois(rng, 9), **size)]


OPERATOR_CHECKS: dict[str, dict[str, Any]] = {
    "ROIPooling": {"reference": region_references.roi_pooling, "samples": pooling_samples},
    "Correlation": {
        "reference": correlation_reference.correlation,
        "samples": [
            {"inputs": [(2, 3, 6, 7)] * 2},
            {
                "inputs": [(1, 2, 8, 7)] * 2,
                "attributes": {
                    **{"kernel_size": 3, "max_displacement": 3, "pad_size": 3},
                    **{"stride1": 2, "stride2": 2},
                },
            },
            {
                "inputs": [(1, 2, 4, 5)] * 2,
                "attributes": {"max_displacement": 2, "pad_size": 1, "is_multiply": False},
            },
        ],
    },
    "_contrib_ROIAlign": {"reference": region_references.roi_align, "samples": align_samples},
    "_contrib_RROIAlign": {
        "reference": region_references.rotated_roi_align,
        "samples": rotated_samples,
    },
    "_contrib_PSROIPooling": {
        "reference": region_references.part_pooling,
        "samples": part_samples,
    },
    "_contrib_DeformablePSROIPooling": {
        "reference": region_references.deformed_pooling,
        "samples": deformed_samples,
    },
}
