"""Rows of the operators on images and boxes: their calls for all execution modes.

Their references are in the plugins' own tests.
"""

import numpy as np

from .case import normal, positive
from .row import Row


def boxes(rng, shape):
    """Draw corner boxes; columns before the last four are classes and scores."""
    *lead, columns = shape
    begin = rng.uniform(0, 1, (*lead, 2))
    corners = np.concatenate([begin, begin + rng.uniform(0.2, 1, (*lead, 2))], -1)
    classes = rng.integers(0, 3, (*lead, max(columns - 5, 0)))
    scores = rng.permutation(np.linspace(0, 1, int(np.prod(lead)))).reshape((*lead, 1))
    return np.concatenate([classes, scores, corners], -1)[..., -columns:]


def regions(rng, shape):
    """Draw rows of an image index and a box within 6 by 6 pixels."""
    corners = np.sort(rng.uniform(0, 5, (shape[0], 2, 2)), axis=1).reshape(shape[0], 4)
    return np.concatenate([rng.integers(0, 2, (shape[0], 1)), corners], -1)


def turned_regions(rng, shape):
    """Draw rows of an image index, a center, two sides and an angle."""
    sides = rng.uniform(1, 4, (shape[0], 4))
    return np.concatenate(
        [rng.integers(0, 2, (shape[0], 1)), sides, normal(rng, (shape[0], 1))], -1
    )


def picture_sizes(rng, shape):
    """Draw rows of height, width and scale."""
    return np.tile([48.0, 48.0, 1.0], (shape[0], 1))


POOLED = {"pooled_size": (2, 2), "spatial_scale": 1.0}
DATA, ROIS = (2, 4, 6, 6), (3, 5)
ANCHORS = {"scales": (4.0,), "ratios": (1.0, 2.0), "rpn_min_size": 2}
FEW = {"rpn_pre_nms_top_n": 12, "rpn_post_nms_top_n": 4}

DETECTION = [
    Row("_contrib_box_iou", [(3, 4), (5, 4)], {}, (boxes,), wanted=()),
    Row("_contrib_box_nms", [(2, 7, 6)], {"id_index": 0}, (boxes,)),
    Row("_contrib_bipartite_matching", [(2, 3, 4)], {"threshold": 0.1}, (positive,), wanted=()),
    Row(
        "_contrib_box_encode",
        [(2, 5), (2, 5), (2, 5, 4), (2, 3, 4), (4,), (4,)],
        {},
        (
            lambda rng, shape: np.ones(shape),
            lambda rng, shape: rng.integers(0, 3, shape),
            boxes,
            boxes,
            normal,
            positive,
        ),
        wanted=(),
    ),
    Row(
        "_contrib_box_decode",
        [(2, 5, 4), (1, 5, 4)],
        {"format": "corner"},
        (normal, boxes),
        wanted=(),
    ),
    Row("_contrib_MultiBoxPrior", [(1, 2, 3, 4)], {"sizes": (0.5, 0.2)}, wanted=()),
    Row(
        "_contrib_MultiBoxTarget",
        [(1, 6, 4), (2, 3, 5), (2, 4, 6)],
        {},
        (boxes, boxes, normal),
        wanted=(),
    ),
    Row(
        "_contrib_MultiBoxDetection",
        [(2, 4, 6), (2, 24), (1, 6, 4)],
        {},
        (positive, normal, boxes),
        wanted=(),
    ),
    Row(
        "_contrib_Proposal",
        [(1, 4, 3, 3), (1, 8, 3, 3), (1, 3)],
        {**ANCHORS, **FEW},
        (positive, normal, picture_sizes),
        wanted=(),
    ),
    Row(
        "_contrib_MultiProposal",
        [(2, 4, 3, 3), (2, 8, 3, 3), (2, 3)],
        {**ANCHORS, **FEW},
        (positive, normal, picture_sizes),
        wanted=(),
    ),
    Row("ROIPooling", [DATA, ROIS], POOLED, (normal, regions), wanted=(0,)),
    Row("_contrib_ROIAlign", [DATA, ROIS], POOLED, (normal, regions), wanted=(0,)),
    Row("_contrib_RROIAlign", [DATA, (3, 6)], POOLED, (normal, turned_regions), wanted=(0,)),
    Row(
        "_contrib_PSROIPooling",
        [DATA, ROIS],
        {"pooled_size": 2, "output_dim": 1, "spatial_scale": 1.0},
        (normal, regions),
        wanted=(0,),
    ),
    Row(
        "_contrib_DeformablePSROIPooling",
        [DATA, ROIS, (3, 2, 2, 2)],
        {
            "pooled_size": 2,
            "group_size": 2,
            "output_dim": 1,
            "spatial_scale": 1.0,
            "trans_std": 0.1,
        },
        (normal, regions, normal),
        wanted=(0,),
    ),
    Row("Correlation", [DATA, DATA], {"max_displacement": 1, "pad_size": 1}),
]

PART = {"x": 1, "y": 0, "width": 2, "height": 3}
FACTOR = {"min_factor": 0.5, "max_factor": 0.5}
IMAGE = [
    Row("_cvimresize", [(4, 5, 3)], {"w": 3, "h": 7}, wanted=()),
    Row("_cvcopyMakeBorder", [(2, 3, 3)], {"top": 1, "bot": 0, "left": 2, "right": 1}, wanted=()),
    Row("_image_resize", [(4, 5, 3)], {"size": (3, 7)}, wanted=()),
    Row("_image_to_tensor", [(4, 5, 3)]),
    Row("_image_normalize", [(3, 4, 5)], {"mean": (1.0, 2.0, 3.0), "std": (2.0,)}),
    Row("_image_crop", [(4, 5, 3)], PART),
    *[Row(f"_image_flip_{way}", [(4, 5, 3)]) for way in ("left_right", "top_bottom")],
    *[
        Row(f"_image_random_{what}", [(4, 5, 3)], FACTOR, (positive,))
        for what in ("brightness", "contrast", "saturation")
    ],
    Row("_image_random_hue", [(4, 5, 3)], {"min_factor": 0.0, "max_factor": 0.0}, (positive,)),
    Row("_image_adjust_lighting", [(4, 5, 3)], {"alpha": (1.0, -2.0, 0.5)}),
    Row("_image_random_lighting", [(4, 5, 3)], {"alpha_std": 0.0}),
    Row(
        "_image_random_color_jitter",
        [(4, 5, 3)],
        dict.fromkeys(("brightness", "contrast", "saturation", "hue"), 0.0),
        (positive,),
    ),
]

ROWS = [*DETECTION, *IMAGE]
