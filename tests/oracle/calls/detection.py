"""opforge-detection: grids of attributes, and boxes that are inverted, huge, infinite or NaN."""

from itertools import product

import numpy as np

from .call import Call

RNG = np.random.default_rng(15)
TYPES = ("float32", "float64")
#: MXNet supports these for float32 only.
SINGLE = ("float32",)


def plain(*shape):
    begin = RNG.uniform(0, 1, (*shape, 2))
    return np.concatenate([begin, begin + RNG.uniform(0.05, 0.6, (*shape, 2))], -1)


def inverted(*shape):
    boxes = plain(*shape)
    some = RNG.random(shape) < 0.3
    boxes[some] = boxes[some][:, [2, 3, 0, 1]]
    return boxes


def outside(*shape):
    return plain(*shape) - 0.5


def huge(*shape):
    return plain(*shape) * 10.0 ** RNG.integers(-30, 30, (*shape, 1))


def empty(*shape):
    return np.repeat(plain(*shape)[..., :2], 2, -1)


def spoilt(value):
    def make(*shape):
        boxes = plain(*shape)
        boxes[RNG.random(boxes.shape) < 0.1] = value
        return boxes

    return make


KINDS = (plain, inverted, outside, huge, empty, spoilt(np.nan), spoilt(np.inf), spoilt(-np.inf))


def scored(make, *shape):
    classes, scores = RNG.integers(-1, 4, shape), RNG.uniform(-0.2, 1, shape).round(2)
    return np.concatenate([np.stack([classes, scores], -1), make(*shape)], -1)


def fixed(name, inputs, attributes, smooth=(), dtype="float32"):
    """Return a call with exactly these numbers."""
    arrays = tuple(np.asarray(item, dtype) for item in inputs)
    return Call(name, arrays, attributes, smooth, (dtype,), 3e-6)


NMS = [
    {},
    {"topk": 5},
    {"topk": 0},
    {"id_index": 0, "overlap_thresh": 0.3},
    {"id_index": 0, "background_id": 2, "force_suppress": True, "valid_thresh": 0.3},
    {"in_format": "center"},
    {"out_format": "center", "id_index": 0},
    {"valid_thresh": 5.0},
]
PRIORS = [
    {"sizes": (0.5, 0.25), "ratios": (1.0, 2.0, 0.5)},
    {"sizes": (0.9,), "clip": True, "ratios": (3.0,)},
    {"steps": (0.1, 0.2), "offsets": (0.0, 1.0)},
]
TARGETS = [
    {},
    {"overlap_threshold": 0.3, "ignore_label": -5.0},
    {"negative_mining_ratio": 2.0, "negative_mining_thresh": 0.5, "overlap_threshold": 0.4},
]
DETECTIONS = [
    {},
    {"clip": False, "threshold": 0.3, "variances": (1.0, 2.0, 0.1, 0.3)},
    {"nms_threshold": 0.1, "force_suppress": True},
    {"nms_topk": 7},
    {"nms_threshold": 0.0},
]
PROPOSALS = [
    {"rpn_pre_nms_top_n": 20, "rpn_post_nms_top_n": 7, "output_score": True},
    {"rpn_min_size": 2, "threshold": 0.3, "rpn_post_nms_top_n": 50},
    {"iou_loss": True, "rpn_post_nms_top_n": 40},
]


def labels(make):
    found = np.concatenate([RNG.integers(0, 3, (3, 5, 1)), make(3, 5)], -1)
    found[0], found[1, 3:] = -1, -1
    return found


def proposal_inputs(batch):
    size = np.tile([80.0, 72.0, 0.8], (batch, 1))
    moves = RNG.normal(size=(batch, 48, 5, 6)) * 0.3
    return RNG.uniform(0, 1, (batch, 24, 5, 6)).round(2), moves, size


CALLS = [
    *[
        fixed("contrib.box_nms", (scored(make, 2, 40),), attributes, (0,), dtype)
        for make, attributes, dtype in product(KINDS, NMS, TYPES)
    ],
    *[
        fixed("contrib.box_iou", (one(3, 4), other(23)), {"format": form}, (0, 1), dtype)
        for one, other, form, dtype in product(KINDS, KINDS[:4], ("corner", "center"), TYPES)
    ],
    *[
        Call("contrib.MultiBoxPrior", (shape,), attributes, dtypes=SINGLE)
        for shape, attributes in product(((1, 3, 4, 5), (2, 1, 7, 1)), PRIORS)
    ],
    *[
        fixed(
            "contrib.MultiBoxTarget",
            (anchors(1, 60), labels(objects), RNG.normal(size=(3, 4, 60))),
            attributes,
        )
        for anchors, objects, attributes in product(KINDS[:5], KINDS, TARGETS[:2])
    ],
    *[
        fixed(
            "contrib.MultiBoxTarget",
            (plain(1, 60), labels(plain), RNG.normal(size=(3, 4, 60))),
            attributes,
        )
        for attributes in TARGETS
    ],
    *[
        fixed(
            "contrib.MultiBoxDetection",
            (
                RNG.dirichlet(np.ones(4), (2, 50)).swapaxes(1, 2),
                RNG.normal(size=(2, 200)),
                make(1, 50),
            ),
            {"clip": True, **attributes},
        )
        for make, attributes in product((plain, inverted, outside, empty), DETECTIONS)
    ],
    *[
        fixed(
            "contrib.bipartite_matching",
            (RNG.uniform(-0.1, 1, shape).round(1),),
            attributes,
            (0,),
        )
        for shape in ((5, 7), (2, 4, 6), (2, 3, 1, 9))
        for attributes in (
            {"threshold": 0.3},
            {"threshold": 0.7, "is_ascend": True},
            {"threshold": 0.1, "topk": 2},
        )
    ],
    *[
        fixed(
            "contrib.box_encode",
            (
                RNG.integers(-1, 2, (2, 9)),
                RNG.integers(0, 4, (2, 9)),
                make(2, 9),
                plain(2, 4),
                RNG.normal(size=4),
                RNG.uniform(0.1, 1, 4),
            ),
            {},
        )
        for make in (plain, inverted, empty, spoilt(np.nan))
    ],
    *[
        fixed("contrib.box_decode", (RNG.normal(size=(2, 9, 4)), plain(1, 9)), attributes, (0,))
        for attributes in (
            {},
            {"format": "corner", "clip": 0.5, "std0": 0.1, "std1": 0.2, "std2": 0.3, "std3": 4.0},
        )
    ],
    *[fixed("contrib.Proposal", proposal_inputs(1), attributes) for attributes in PROPOSALS],
    *[fixed("contrib.MultiProposal", proposal_inputs(3), attributes) for attributes in PROPOSALS],
]
