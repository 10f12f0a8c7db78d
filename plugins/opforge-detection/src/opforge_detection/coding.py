"""Encoding of boxes relative to anchors, and decoding of predictions."""

from typing import Any

from opforge.plugin_api import Attribute

from .declaring import WithoutGradient, expect_shape, may_be


class BoxEncode(WithoutGradient):
    """Return how anchors are to be moved onto the boxes that they are matched with, and a mask.

    Both are zero where the sample is not positive.

    Examples
    --------
    >>> from opforge import nd
    >>> one, box = nd.ones((1, 1)), nd.array([[[0, 0, 2, 2]]])
    >>> zeros, ones = nd.zeros(4), nd.ones(4)
    >>> moves, mask = nd.contrib.box_encode(one, 0 * one, box, box + 1, zeros, ones)
    >>> moves.asnumpy().tolist()
    [[[0.5, 0.5, 0.0, 0.0]]]
    """

    name = "_contrib_box_encode"
    category = "vision"
    arguments = ("samples", "matches", "anchors", "refs", "means", "stds")
    argument_docs = {
        "samples": "(batch, anchors): 1 for a positive one, -1 for a negative one, 0 to ignore it",
        "matches": "(batch, anchors): numbers of refs",
        "anchors": "(batch, anchors, 4), corners",
        "refs": "(batch, boxes, 4), corners",
        "means": "(4,): what is subtracted from moves",
        "stds": "(4,): what they are divided by then",
    }
    outputs = ("targets", "masks")

    def infer_shape(self, in_shape: Any) -> Any:
        """Return four numbers for each anchor, twice."""
        samples, matches, anchors, refs, means, stds = map(tuple, in_shape)
        for name, shape in (("anchors", anchors), ("refs", refs)):
            fits = len(shape) == 3 and may_be(shape[2], 4)
            expect_shape(self, name, shape, f"(batch, {name}, 4)", fits)
        if not anchors or not refs:
            return in_shape, [None, None], []
        batch, count, _ = anchors
        expected = f"({batch}, boxes, 4), as anchors has {batch} images"
        expect_shape(self, "refs", refs, expected, refs[0] == batch or 0 in (refs[0], batch))
        for name, shape in (("samples", samples), ("matches", matches)):
            fits = len(shape) == 2 and may_be(shape[0], batch) and may_be(shape[1], count)
            expect_shape(self, name, shape, f"({batch}, {count})", fits or 0 in (batch, count))
        for name, shape in (("means", means), ("stds", stds)):
            expect_shape(self, name, shape, "(4,)", len(shape) == 1 and may_be(shape[0], 4))
        pairs = (batch, count)
        known = [pairs, pairs, (*pairs, 4), (batch, refs[1], 4), (4,), (4,)]
        return known, [(*pairs, 4), (*pairs, 4)], []


class BoxDecode(WithoutGradient):
    """Return the boxes, in corners, that predictions make of anchors.

    Examples
    --------
    >>> from opforge import nd
    >>> nd.contrib.box_decode(nd.zeros((1, 1, 4)), nd.array([[[1, 1, 2, 2]]])).asnumpy().tolist()
    [[[0.0, 0.0, 2.0, 2.0]]]
    """

    name = "_contrib_box_decode"
    category = "vision"
    arguments = ("data", "anchors")
    argument_docs = {
        "data": "(batch, anchors, 4): how each anchor is to be moved",
        "anchors": "(1, anchors, 4), which all images share",
    }
    std0 = Attribute(float, default=1.0, doc="What moves along x are multiplied by.")
    std1 = Attribute(float, default=1.0, doc="What moves along y are multiplied by.")
    std2 = Attribute(float, default=1.0, doc="What logarithms of widths are multiplied by.")
    std3 = Attribute(float, default=1.0, doc="What logarithms of heights are multiplied by.")
    clip = Attribute(float, default=-1.0, doc="Largest logarithm; 0 and less: none.")
    format = Attribute(
        str,
        default="center",
        choices=("center", "corner"),
        doc="Of the anchors: (xmin, ymin, xmax, ymax) or (x, y, width, height).",
    )

    def infer_shape(self, in_shape: Any) -> Any:
        """Return a box for each prediction."""
        data, anchors = map(tuple, in_shape)
        fits = len(data) == 3 and may_be(data[2], 4)
        expect_shape(self, "data", data, "(batch, anchors, 4)", fits)
        if not data:
            return in_shape, [None], []
        batch, count, _ = data
        fits = len(anchors) == 3 and may_be(anchors[0], 1) and may_be(anchors[2], 4)
        fits = fits and (may_be(anchors[1], count) or not count)
        expect_shape(
            self, "anchors", anchors, f"(1, {count}, 4), as data has {count} anchors", fits
        )
        return [(batch, count, 4), (1, count, 4)], [(batch, count, 4)], []


OPERATORS = (BoxEncode, BoxDecode)
