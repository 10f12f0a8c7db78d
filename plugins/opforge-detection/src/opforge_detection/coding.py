"""Encoding of boxes relative to anchors, and decoding of predictions."""

from typing import Any

from opforge.plugin_api import Attribute

from .base import ZeroGradientOperator, expect_shape, may_equal


class BoxEncode(ZeroGradientOperator):
    """Return the offsets from anchors to their matched boxes, and a mask of positive samples.

    Both are zero for samples that are not positive.

    Examples
    --------
    >>> from opforge import nd
    >>> one, box = nd.ones((1, 1)), nd.array([[[0, 0, 2, 2]]])
    >>> zeros, ones = nd.zeros(4), nd.ones(4)
    >>> offsets, mask = nd.contrib.box_encode(one, 0 * one, box, box + 1, zeros, ones)
    >>> offsets.asnumpy().tolist()
    [[[0.5, 0.5, 0.0, 0.0]]]
    """

    name = "_contrib_box_encode"
    category = "vision"
    arguments = ("samples", "matches", "anchors", "refs", "means", "stds")
    argument_docs = {
        "samples": "(batch, anchors): 1 for positive, -1 for negative, 0 for ignored anchors",
        "matches": "(batch, anchors): indices into refs",
        "anchors": "(batch, anchors, 4), corners",
        "refs": "(batch, boxes, 4), corners",
        "means": "(4,): subtracted from the offsets",
        "stds": "(4,): divisors of the centered offsets",
    }
    outputs = ("output0", "output1")

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the shapes of targets and masks, four elements per anchor each."""
        samples, matches, anchors, refs, means, stds = map(tuple, in_shape)
        for name, shape in (("anchors", anchors), ("refs", refs)):
            fits = len(shape) == 3 and may_equal(shape[2], 4)
            expect_shape(self, name, shape, f"(batch, {name}, 4)", fits)
        if not anchors or not refs:
            return in_shape, [None, None], []
        batch, count, _ = anchors
        expected = f"({batch}, boxes, 4) because anchors has {batch} images"
        expect_shape(self, "refs", refs, expected, refs[0] == batch or 0 in (refs[0], batch))
        for name, shape in (("samples", samples), ("matches", matches)):
            fits = len(shape) == 2 and may_equal(shape[0], batch) and may_equal(shape[1], count)
            expect_shape(self, name, shape, f"({batch}, {count})", fits or 0 in (batch, count))
        for name, shape in (("means", means), ("stds", stds)):
            expect_shape(self, name, shape, "(4,)", len(shape) == 1 and may_equal(shape[0], 4))
        pairs = (batch, count)
        inputs = [pairs, pairs, (*pairs, 4), (batch, refs[1], 4), (4,), (4,)]
        return inputs, [(*pairs, 4), (*pairs, 4)], []


class BoxDecode(ZeroGradientOperator):
    """Return the corners of boxes decoded from predictions and anchors.

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
        "data": "(batch, anchors, 4): predicted offsets of each anchor",
        "anchors": "(1, anchors, 4), shared by all images",
    }
    std0 = Attribute(float, default=1.0, doc="Factor of the x offsets.")
    std1 = Attribute(float, default=1.0, doc="Factor of the y offsets.")
    std2 = Attribute(float, default=1.0, doc="Factor of the log widths.")
    std3 = Attribute(float, default=1.0, doc="Factor of the log heights.")
    clip = Attribute(
        float, default=-1.0, doc="Upper limit of scaled log sizes; 0 or less for none."
    )
    format = Attribute(
        str,
        default="center",
        choices=("center", "corner"),
        doc="Format of anchors: corner (xmin, ymin, xmax, ymax) or center (x, y, width, height).",
    )

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the shape of one box per prediction."""
        data, anchors = map(tuple, in_shape)
        fits = len(data) == 3 and may_equal(data[2], 4)
        expect_shape(self, "data", data, "(batch, anchors, 4)", fits)
        if not data:
            return in_shape, [None], []
        batch, count, _ = data
        fits = len(anchors) == 3 and may_equal(anchors[0], 1) and may_equal(anchors[2], 4)
        fits = fits and (may_equal(anchors[1], count) or not count)
        expect_shape(
            self, "anchors", anchors, f"(1, {count}, 4) because data has {count} anchors", fits
        )
        return [(batch, count, 4), (1, count, 4)], [(batch, count, 4)], []
