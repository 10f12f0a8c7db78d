"""Operators of single-shot detectors: anchors, their targets and detections."""

from typing import Any

from opforge.plugin_api import Attribute, AttributeValueError, Floats

from .base import Dims, ZeroGradientOperator, expect_shape, may_equal


class MultiBoxPrior(ZeroGradientOperator):
    """Return anchors: boxes around each pixel of a feature map, relative to the image's size.

    The boxes have all sizes with the first ratio, then all other ratios with the first size.

    Examples
    --------
    >>> from opforge import nd
    >>> nd.contrib.MultiBoxPrior(nd.zeros((1, 3, 2, 2)), sizes=(0.5,)).asnumpy()[0, 0].tolist()
    [0.0, 0.0, 0.5, 0.5]
    """

    name = "_contrib_MultiBoxPrior"
    category = "vision"
    argument_docs = {"data": "(batch, channels, height, width): a feature map"}
    attrs = {"IsConstant": True}
    sizes = Attribute(Floats, default=(1.0,), doc="Sizes of boxes relative to the image.")
    ratios = Attribute(Floats, default=(1.0,), doc="Aspect ratios: widths of boxes over heights.")
    clip = Attribute(bool, default=False, doc="Whether to clip boxes to the image.")
    steps = Attribute(
        Floats,
        default=(-1.0, -1.0),
        doc="Steps between pixels, (y, x); -1: the inverse of the map's size.",
    )
    offsets = Attribute(
        Floats,
        default=(0.5, 0.5),
        ge=0.0,
        le=1.0,
        doc="Offsets of the centers within pixels, (y, x).",
    )

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        for name, count in (("sizes", 1), ("ratios", 1), ("steps", 2), ("offsets", 2)):
            values = getattr(self, name)
            if len(values) < count or (count == 2 and len(values) > 2):
                expected = "one number or more" if count == 1 else "two numbers, (y, x)"
                raise AttributeValueError(
                    f"operator '{self.name}': {name} is {values}; expected {expected}"
                )
        if self.steps[0] * self.steps[1] < 0:
            raise AttributeValueError(
                f"operator '{self.name}': steps is {self.steps}; expected both or neither above 0"
            )

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the shape of the anchors, which all images share."""
        data: Dims = tuple(in_shape[0])
        expect_shape(self, "data", data, "(batch, channels, height, width)", len(data) >= 4)
        if not data:
            return in_shape, [None], []
        count = data[2] * data[3] * (len(self.sizes) + len(self.ratios) - 1)
        return [data], [(1, count, 4)], []


class MultiBoxTarget(ZeroGradientOperator):
    """Return the targets of each anchor: the box and the class of the object it overlaps most.

    Each object is matched with the anchor that overlaps it most and with all anchors that overlap
    it by more than `overlap_threshold`. The other anchors are background. With
    `negative_mining_ratio`, only those with the lowest predicted background probability are, and
    the rest has `ignore_label`. If an image has no objects, all anchors have `ignore_label`.

    Examples
    --------
    >>> from opforge import nd
    >>> anchors = nd.array([[[0, 0, 0.5, 0.5], [0.5, 0.5, 1, 1]]])
    >>> label = nd.array([[[3, 0.5, 0.5, 1, 1]]])
    >>> _, _, classes = nd.contrib.MultiBoxTarget(anchors, label, nd.zeros((1, 5, 2)))
    >>> classes.asnumpy().tolist()
    [[0.0, 4.0]]
    """

    name = "_contrib_MultiBoxTarget"
    category = "vision"
    arguments = ("anchor", "label", "cls_pred")
    argument_docs = {
        "anchor": "(1, anchors, 4), corners",
        "label": "(batch, labels, 5 or more): class and corners; rows of -1 after the last object",
        "cls_pred": "(batch, classes, anchors), before the softmax; class 0 is the background",
    }
    outputs = ("loc_target", "loc_mask", "cls_target")
    overlap_threshold = Attribute(
        float, default=0.5, doc="Overlap above which an anchor is positive."
    )
    ignore_label = Attribute(float, default=-1.0, doc="Class target of ignored anchors.")
    negative_mining_ratio = Attribute(
        float, default=-1.0, doc="Negative anchors per positive one; -1: all others."
    )
    negative_mining_thresh = Attribute(
        float, default=0.5, doc="Overlap below which an anchor may be negative."
    )
    minimum_negative_samples = Attribute(int, default=0, doc="Accepted and ignored, as in MXNet.")
    variances = Attribute(
        Floats, default=(0.1, 0.1, 0.2, 0.2), doc="Divisors of the four box targets."
    )

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        expect_variances(self)
        if self.negative_mining_ratio > 0 and not self.negative_mining_thresh > 0:
            raise AttributeValueError(
                f"operator '{self.name}': negative_mining_thresh is {self.negative_mining_thresh}; "
                "expected a number above 0"
            )

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the shapes of box targets, masks and class targets."""
        anchor, label, scores = map(tuple, in_shape)
        fits = len(anchor) == 3 and may_equal(anchor[0], 1) and may_equal(anchor[2], 4)
        expect_shape(self, "anchor", anchor, "(1, anchors, 4)", fits)
        fits = len(label) == 3 and (label[2] == 0 or label[2] >= 5)
        expect_shape(self, "label", label, "(batch, labels, 5 or more)", fits)
        if not anchor or not label:
            return in_shape, [None, None, None], []
        batch, count = label[0], anchor[1]
        fits = len(scores) == 3 and may_equal(scores[0], batch) and may_equal(scores[2], count)
        expected = f"({batch}, classes, {count}) because of the shapes of label and anchor"
        expect_shape(self, "cls_pred", scores, expected, fits or 0 in (batch, count))
        boxes = (batch, 4 * count)
        inputs = [(1, count, 4), label, (batch, scores[1] if scores else 0, count)]
        return inputs, [boxes, boxes, (batch, count)], []


class MultiBoxDetection(ZeroGradientOperator):
    """Return detections as rows (class, score, xmin, ymin, xmax, ymax), sorted by score.

    Classes count from 0 without the background. The class is -1 in invalid rows: background, and
    boxes suppressed by a better one of their class.

    Examples
    --------
    >>> from opforge import nd
    >>> anchors = nd.array([[[0, 0, 0.5, 0.5], [0.5, 0.5, 1, 1]]])
    >>> scores = nd.array([[[0.1, 0.9], [0.9, 0.1]]])
    >>> nd.contrib.MultiBoxDetection(scores, nd.zeros((1, 8)), anchors).asnumpy()[0, 0].round(1)
    array([0. , 0.9, 0. , 0. , 0.5, 0.5], dtype=float32)
    """

    name = "_contrib_MultiBoxDetection"
    category = "vision"
    arguments = ("cls_prob", "loc_pred", "anchor")
    argument_docs = {
        "cls_prob": "(batch, classes, anchors), after the softmax; class 0 is the background",
        "loc_pred": "(batch, 4 * anchors): predicted offsets of each anchor",
        "anchor": "(1, anchors, 4), corners",
    }
    clip = Attribute(bool, default=True, doc="Whether to clip boxes to the image.")
    threshold = Attribute(float, default=0.01, doc="Minimum score of a valid box.")
    background_id = Attribute(
        int, default=0, doc="Accepted and ignored, as in MXNet: class 0 is the background."
    )
    nms_threshold = Attribute(
        float,
        default=0.5,
        doc="Overlap at which a box is suppressed; 0, or above 1: no suppression or sorting.",
    )
    force_suppress = Attribute(
        bool, default=False, doc="Whether boxes suppress those of other classes too."
    )
    variances = Attribute(
        Floats, default=(0.1, 0.1, 0.2, 0.2), doc="Factors of the predicted offsets."
    )
    nms_topk = Attribute(int, default=-1, doc="Number of top boxes to consider; -1: all.")

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        expect_variances(self)

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the shape of one row per anchor of each image."""
        scores, offsets, anchor = map(tuple, in_shape)
        fits = len(scores) == 3
        expect_shape(self, "cls_prob", scores, "(batch, classes, anchors)", fits)
        fits = len(anchor) == 3 and may_equal(anchor[0], 1) and may_equal(anchor[2], 4)
        expect_shape(self, "anchor", anchor, "(1, anchors, 4)", fits)
        if not scores:
            return in_shape, [None], []
        batch, _, count = scores
        fits = 0 in (count, anchor[1]) if anchor else True
        expected = f"(1, {count}, 4) because cls_prob has {count} anchors"
        expect_shape(self, "anchor", anchor, expected, fits or anchor[1] == count)
        fits = (
            len(offsets) == 2 and may_equal(offsets[0], batch) and may_equal(offsets[1], 4 * count)
        )
        expected = f"({batch}, {4 * count}) because of the shape of cls_prob"
        expect_shape(self, "loc_pred", offsets, expected, fits or 0 in (batch, count))
        return [scores, (batch, 4 * count), (1, count, 4)], [(batch, count, 6)], []


def expect_variances(operator: Any) -> None:
    """Raise unless variances are four numbers."""
    if len(operator.variances) != 4:
        raise AttributeValueError(
            f"operator '{operator.name}': variances is {operator.variances}; expected four numbers"
        )
