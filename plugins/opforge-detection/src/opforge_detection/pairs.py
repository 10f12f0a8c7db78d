"""Operators on pairs: overlaps of boxes, and bipartite matching."""

from typing import Any

from opforge.plugin_api import Attribute

from .base import Dims, ZeroGradientOperator, expect_shape, may_equal


class BoxIoU(ZeroGradientOperator):
    """Return the intersection over union of each box of `lhs` with each box of `rhs`.

    Examples
    --------
    >>> from opforge import nd
    >>> x = nd.array([[0.5, 0.5, 1.0, 1.0], [0.0, 0.0, 0.5, 0.5]])
    >>> y = nd.array([[0.25, 0.25, 0.75, 0.75]])
    >>> nd.contrib.box_iou(x, y).shape
    (2, 1)
    """

    name = "_contrib_box_iou"
    category = "vision"
    arguments = ("lhs", "rhs")
    argument_docs = {"lhs": "shape (..., 4)", "rhs": "shape (..., 4)"}
    format = Attribute(
        str,
        default="corner",
        choices=("center", "corner"),
        doc="corner: (xmin, ymin, xmax, ymax); center: (x, y, width, height).",
    )

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the axes of both inputs without those of the coordinates."""
        shapes: list[Dims] = [tuple(shape) for shape in in_shape]
        for name, shape in zip(self.arguments, shapes, strict=True):
            fits = len(shape) >= 2 and may_equal(shape[-1], 4)
            expect_shape(self, name, shape, "(..., 4), two axes or more", fits)
        if not all(shapes):
            return shapes, [None], []
        lhs, rhs = shapes
        return [(*lhs[:-1], 4), (*rhs[:-1], 4)], [lhs[:-1] + rhs[:-1]], []


class BipartiteMatching(ZeroGradientOperator):
    """Match rows with columns greedily, by repeatedly taking the best score of a free pair.

    Returns the column of each row and the row of each column, or -1 if it has no match.

    Examples
    --------
    >>> from opforge import nd
    >>> scores = nd.array([[0.5, 0.6], [0.1, 0.2], [0.3, 0.4]])
    >>> rows, columns = nd.contrib.bipartite_matching(scores, threshold=1e-12)
    >>> rows.asnumpy().tolist(), columns.asnumpy().tolist()
    ([1.0, -1.0, 0.0], [2.0, 0.0])
    """

    name = "_contrib_bipartite_matching"
    category = "vision"
    argument_docs = {"data": "(..., rows, columns): a score for each pair"}
    outputs = ("output0", "output1")
    is_ascend = Attribute(bool, default=False, doc="Whether lower scores are better.")
    threshold = Attribute(
        float, doc="Scores up to this value are ignored; with is_ascend, those from this value on."
    )
    topk = Attribute(
        int, default=-1, doc="Matching stops after topk + 1 matches, as in MXNet; -1: no limit."
    )

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the shapes without the last axis and without the one before it."""
        data: Dims = tuple(in_shape[0])
        expect_shape(self, "data", data, "(..., rows, columns)", len(data) >= 2)
        if not data:
            return in_shape, [None, None], []
        return [data], [data[:-1], (*data[:-2], data[-1])], []

    def highest_position(self, in_shapes: Any) -> list[int | None]:
        """Return the indices of the last column and the last row."""
        rows, columns = in_shapes[0][-2:]
        return [columns - 1, rows - 1]
