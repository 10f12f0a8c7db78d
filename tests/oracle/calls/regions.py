"""opforge-detection: pooled regions of boxes, and correlations of two images."""

import itertools

import numpy as np

from .call import Call

PICTURES = (2, 12, 7, 9)
TYPES = ("float32", "float64")


def boxes(n):
    """Return a function that draws boxes in two images at twice their size, some partly outside."""

    def draw(rng):
        begin = rng.uniform(-4, 16, (n, 2))
        pictures = rng.integers(0, 2, (n, 1))
        return np.concatenate([pictures, begin, begin + rng.uniform(0.5, 16, (n, 2))], 1)

    return draw


def turned(rng):
    """Return boxes given by their center, with any angle."""
    return np.concatenate([boxes(6)(rng), rng.uniform(-180, 180, (6, 1))], 1)


def region(name, *inputs, smooth=(0,), **attributes):
    """Return the call of an operator on boxes, which have no gradient."""
    return Call(name, inputs, {"spatial_scale": 0.5, **attributes}, dtypes=TYPES, smooth=smooth)


PARTS = {"output_dim": 3, "pooled_size": 3, "group_size": 2}
MOVED = {**PARTS, "part_size": 2, "sample_per_part": 3, "trans_std": 0.1}

CALLS = [
    *(region("ROIPooling", PICTURES, boxes(n), pooled_size=(3, 2)) for n in (3, 40)),
    *(
        region(
            "contrib.ROIAlign",
            PICTURES,
            boxes(n),
            pooled_size=(3, 2),
            sample_ratio=samples,
            position_sensitive=own,
            aligned=aligned,
        )
        for n, samples, own, aligned in itertools.product(
            (3, 40), (-1, 2), (False, True), (False, True)
        )
    ),
    *(
        region(
            "contrib.RROIAlign",
            PICTURES,
            turned,
            smooth=(),
            pooled_size=(3, 2),
            sampling_ratio=samples,
        )
        for samples in (-1, 2)
    ),
    *(region("contrib.PSROIPooling", PICTURES, boxes(n), **PARTS) for n in (3, 40)),
    *(
        region(
            "contrib.DeformablePSROIPooling",
            PICTURES,
            boxes(6),
            (6, 2 * classes, 2, 2),
            smooth=(0, 2),
            **MOVED,
        )
        for classes in (1, 3)
    ),
    region("contrib.DeformablePSROIPooling", PICTURES, boxes(6), no_trans=True, **MOVED),
    *(
        Call(
            "Correlation",
            ((2, 3, 8, 9), (2, 3, 8, 9)),
            {"is_multiply": product, **sizes},
            smooth=(0, 1),
        )
        for product in (True, False)
        for sizes in (
            {},
            {"kernel_size": 3, "max_displacement": 2, "stride1": 2, "stride2": 2, "pad_size": 3},
        )
    ),
]
