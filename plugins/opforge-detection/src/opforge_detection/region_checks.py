"""References and sample calls of the operators on regions and Correlation."""

from typing import Any

import numpy as np

from . import correlation_references, region_references

IMAGES = (2, 8, 5, 6)


def rois(rng: Any, n: int) -> Any:
    """Return boxes on two images of shape `IMAGES` at half scale; the last box has no image."""
    begin = rng.uniform(-2, 6, (n, 2))
    image = rng.integers(0, 2, (n, 1))
    image[-1] = -1
    return np.concatenate([image, begin, begin + rng.uniform(1, 9, (n, 2))], 1)


def region(*inputs: Any, **attributes: Any) -> dict[str, Any]:
    """Return a sample call that requests no gradient of the boxes."""
    wanted = [i for i in range(len(inputs)) if i != 1]
    values = {"spatial_scale": 0.5, **attributes}
    return {"inputs": list(inputs), "attributes": values, "wanted": wanted}


def align_samples(rng: Any) -> list[Any]:
    """Return sample calls with fixed and adaptive numbers of samples."""
    size = {"pooled_size": (2, 3)}
    return [
        region(IMAGES, rois(rng, 3), **size, sample_ratio=2),
        region((2, 70, 3, 2), rois(rng, 4), **size, aligned=True),
        region((2, 12, 5, 6), rois(rng, 3), **size, position_sensitive=True),
    ]


def rotated_samples(rng: Any) -> list[Any]:
    """Return sample calls with boxes rotated by any angle."""
    rotated = [np.concatenate([rois(rng, n), rng.uniform(-180, 180, (n, 1))], 1) for n in (2, 9)]
    return [
        region(IMAGES, rotated[0], pooled_size=(2, 3), sampling_ratio=2),
        region(IMAGES, rotated[1], pooled_size=(3, 2)),
    ]


def part_samples(rng: Any) -> list[Any]:
    """Return sample calls with as many parts as bins and with fewer."""
    size = {"output_dim": 2, "pooled_size": 4, "group_size": 2}
    return [
        region((2, 9, 5, 6), rois(rng, 3), output_dim=1, pooled_size=3, group_size=3),
        region(IMAGES, rois(rng, 3), **size),
    ]


def deformed_samples(rng: Any) -> list[Any]:
    """Return sample calls with shared, per-class and no offsets."""
    size = {"output_dim": 2, "pooled_size": 2, "group_size": 2, "sample_per_part": 3}
    boxes = rois(rng, 3)
    offsets = [rng.uniform(-1, 1, (3, 2 * classes, 2, 2)) for classes in (1, 2)]
    return [
        region(IMAGES, boxes, offsets[0], **size, trans_std=0.125),
        region(IMAGES, boxes, offsets[1], **size, trans_std=0.25),
        region(IMAGES, boxes, **size, no_trans=True),
    ]


def pooling_samples(rng: Any) -> list[Any]:
    """Return sample calls with few and many boxes."""
    size = {"pooled_size": (2, 3)}
    return [region((2, 2, 9, 9), rois(rng, 2), **size), region((2, 70, 5, 6), rois(rng, 9), **size)]


OPERATOR_CHECKS: dict[str, dict[str, Any]] = {
    "ROIPooling": {"reference": region_references.roi_pooling, "samples": pooling_samples},
    "Correlation": {
        "reference": correlation_references.correlation,
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
