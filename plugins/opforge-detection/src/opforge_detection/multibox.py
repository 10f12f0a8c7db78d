"""The operators of single-shot detectors: anchors, their targets, and what they detect."""

from typing import Any

from opforge.plugin_api import Attribute, AttributeValueError, Floats

from .declaring import Dims, WithoutGradient, expect_shape, may_be


class MultiBoxPrior(WithoutGradient):
    """Return anchors: the same boxes around each pixel of a feature map, in parts of the image.

    Each size comes with the first ratio, then each other ratio with the first size.

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
    sizes = Attribute(Floats, default=(1.0,), doc="Lengths of the boxes, in parts of the image.")
    ratios = Attribute(Floats, default=(1.0,), doc="Widths of the boxes, in parts of their height.")
    clip = Attribute(bool, default=False, doc="Whether boxes end where the image does.")
    steps = Attribute(
        Floats, default=(-1.0, -1.0), doc="From pixel to pixel, (y, x); -1: as many as there are."
    )
    offsets = Attribute(
        Floats, default=(0.5, 0.5), ge=0.0, le=1.0, doc="Where in a pixel its middle is, (y, x)."
    )

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        for name, least in (("sizes", 1), ("ratios", 1), ("steps", 2), ("offsets", 2)):
            given = getattr(self, name)
            if len(given) < least or (least == 2 and len(given) > 2):
                expected = "one number or more" if least == 1 else "two numbers, (y, x)"
                raise AttributeValueError(
                    f"operator '{self.name}': {name} is {given}, expected {expected}"
                )
        if self.steps[0] * self.steps[1] < 0:
            raise AttributeValueError(
                f"operator '{self.name}': steps is {self.steps}, expected both or none above 0"
            )

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the number of anchors; all images share them."""
        data: Dims = tuple(in_shape[0])
        expect_shape(self, "data", data, "(batch, channels, height, width)", len(data) >= 4)
        if not data:
            return in_shape, [None], []
        count = data[2] * data[3] * (len(self.sizes) + len(self.ratios) - 1)
        return [data], [(1, count, 4)], []


class MultiBoxTarget(WithoutGradient):
    """Return what each anchor is to predict: the box and the class of the object it overlaps most.

    Each object gets the anchor that overlaps it most, and all that overlap it by more than
    `overlap_threshold`. The others are background, or, with `negative_mining_ratio`, those of them
    that the predictions take least for it, and the rest has `ignore_label`. An image without
    objects has `ignore_label` for all anchors.

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
        "label": "(batch, labels, 5 or more): class and corners; rows of -1 behind the last object",
        "cls_pred": "(batch, classes, anchors), before the softmax; class 0 is the background",
    }
    outputs = ("loc_target", "loc_mask", "cls_target")
    overlap_threshold = Attribute(float, default=0.5, doc="Overlap that makes an anchor positive.")
    ignore_label = Attribute(float, default=-1.0, doc="Target of anchors that do not count.")
    negative_mining_ratio = Attribute(
        float, default=-1.0, doc="Negative anchors for each positive one; -1: all others."
    )
    negative_mining_thresh = Attribute(
        float, default=0.5, doc="Overlap below which an anchor may be a negative one."
    )
    minimum_negative_samples = Attribute(
        int, default=0, doc="Accepted for MXNet's sake, which does not read it either."
    )
    variances = Attribute(
        Floats, default=(0.1, 0.1, 0.2, 0.2), doc="What the four targets are divided by."
    )

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        expect_variances(self)
        if self.negative_mining_ratio > 0 and not self.negative_mining_thresh > 0:
            raise AttributeValueError(
                f"operator '{self.name}': negative_mining_thresh is {self.negative_mining_thresh}, "
                "expected a number above 0"
            )

    def infer_shape(self, in_shape: Any) -> Any:
        """Return four targets and a class for each anchor of each image."""
        anchor, label, scores = map(tuple, in_shape)
        fits = len(anchor) == 3 and may_be(anchor[0], 1) and may_be(anchor[2], 4)
        expect_shape(self, "anchor", anchor, "(1, anchors, 4)", fits)
        fits = len(label) == 3 and (label[2] == 0 or label[2] >= 5)
        expect_shape(self, "label", label, "(batch, labels, 5 or more)", fits)
        if not anchor or not label:
            return in_shape, [None, None, None], []
        batch, count = label[0], anchor[1]
        fits = len(scores) == 3 and may_be(scores[0], batch) and may_be(scores[2], count)
        expected = f"({batch}, classes, {count}), as label and anchor have it"
        expect_shape(self, "cls_pred", scores, expected, fits or 0 in (batch, count))
        boxes = (batch, 4 * count)
        known = [(1, count, 4), label, (batch, scores[1] if scores else 0, count)]
        return known, [boxes, boxes, (batch, count)], []


class MultiBoxDetection(WithoutGradient):
    """Return what anchors detect: rows (class, score, xmin, ymin, xmax, ymax), the best ones first.

    The class counts from 0 without the background, and is -1 in rows that do not count: those of
    the background, and those that overlap a better one of their class.

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
        "loc_pred": "(batch, 4 * anchors): how each anchor is to be moved",
        "anchor": "(1, anchors, 4), corners",
    }
    clip = Attribute(bool, default=True, doc="Whether boxes end where the image does.")
    threshold = Attribute(float, default=0.01, doc="Score from which a box counts.")
    background_id = Attribute(
        int, default=0, doc="Accepted for MXNet's sake: class 0 is the background there too."
    )
    nms_threshold = Attribute(
        float, default=0.5, doc="Overlap from which a box goes; 0, or above 1: all stay, unsorted."
    )
    force_suppress = Attribute(bool, default=False, doc="Boxes go for those of other classes too.")
    variances = Attribute(
        Floats, default=(0.1, 0.1, 0.2, 0.2), doc="What the predictions are multiplied by."
    )
    nms_topk = Attribute(int, default=-1, doc="How many of the best boxes are looked at; -1: all.")

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        expect_variances(self)

    def infer_shape(self, in_shape: Any) -> Any:
        """Return a row for each anchor of each image."""
        scores, moves, anchor = map(tuple, in_shape)
        fits = len(scores) == 3
        expect_shape(self, "cls_prob", scores, "(batch, classes, anchors)", fits)
        fits = len(anchor) == 3 and may_be(anchor[0], 1) and may_be(anchor[2], 4)
        expect_shape(self, "anchor", anchor, "(1, anchors, 4)", fits)
        if not scores:
            return in_shape, [None], []
        batch, _, count = scores
        fits = 0 in (count, anchor[1]) if anchor else True
        expected = f"(1, {count}, 4), as cls_prob has {count} anchors"
        expect_shape(self, "anchor", anchor, expected, fits or anchor[1] == count)
        fits = len(moves) == 2 and may_be(moves[0], batch) and may_be(moves[1], 4 * count)
        expected = f"({batch}, {4 * count}), as cls_prob has it"
        expect_shape(self, "loc_pred", moves, expected, fits or 0 in (batch, count))
        return [scores, (batch, 4 * count), (1, count, 4)], [(batch, count, 6)], []


def expect_variances(operator: Any) -> None:
    """Reject variances that are not four numbers."""
    if len(operator.variances) != 4:
        raise AttributeValueError(
            f"operator '{operator.name}': variances is {operator.variances}, expected four numbers"
        )


OPERATORS = (MultiBoxPrior, MultiBoxTarget, MultiBoxDetection)
