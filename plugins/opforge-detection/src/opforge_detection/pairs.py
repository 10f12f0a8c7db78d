"""Operators on pairs of boxes: how much they overlap."""

from typing import Any

from opforge.plugin_api import Attribute

from .declaring import Dims, WithoutGradient, expect_shape, may_be

FORMATS = ("center", "corner")
FORMAT_DOC = "corner: (xmin, ymin, xmax, ymax); center: (x, y, width, height)."


class BoxIoU(WithoutGradient):
    """Return the overlap of each box of `lhs` with each of `rhs`: intersection over union.

    Examples
    --------
    >>> from opforge import nd
    >>> x = nd.array([[0.5, 0.5, 1.0, 1.0], [0.0, 0.0, 0.5, 0.5]])
    >>> y = nd.array([[0.25, 0.25, 0.75, 0.75]])
    >>> nd.contrib.box_iou(x, y).shape
    (2, 1)
    """

    name = "_contrib_box_iou"
    arguments = ("lhs", "rhs")
    argument_docs = {"lhs": "shape (..., 4)", "rhs": "shape (..., 4)"}
    format = Attribute(str, default="corner", choices=FORMATS, doc=FORMAT_DOC)

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the axes of both, without those of the coordinates."""
        shapes: list[Dims] = [tuple(shape) for shape in in_shape]
        for name, shape in zip(self.arguments, shapes, strict=True):
            fits = len(shape) >= 2 and may_be(shape[-1], 4)
            expect_shape(self, name, shape, "(..., 4), two axes or more", fits)
        if not all(shapes):
            return shapes, [None], []
        lhs, rhs = shapes
        return [(*lhs[:-1], 4), (*rhs[:-1], 4)], [lhs[:-1] + rhs[:-1]], []


OPERATORS = (BoxIoU,)
