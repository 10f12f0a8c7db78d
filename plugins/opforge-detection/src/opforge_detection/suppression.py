"""Operator box_nms: non-maximum suppression."""

from collections.abc import Sequence
from typing import Any

from opforge.plugin_api import Attribute, AttributeValueError

from .base import DetectionOperator, Dims, expect_shape


class BoxNMS(DetectionOperator):
    """Return the boxes kept by non-maximum suppression, sorted by score and padded with -1.

    A box is a row with a score, four coordinates and optionally a class and more. Of two boxes
    whose overlap exceeds `overlap_thresh`, the one with the lower score is suppressed, or the later
    one if scores are equal. Gradients of kept boxes are passed to their inputs.

    Examples
    --------
    >>> from opforge import nd
    >>> x = nd.array([[0.5, 0, 0, 4, 4], [0.9, 0, 0, 4, 3], [0.3, 8, 8, 9, 9]])
    >>> nd.contrib.box_nms(x, coord_start=1, score_index=0).asnumpy()[:, 3:].tolist()
    [[4.0, 3.0], [9.0, 9.0], [-1.0, -1.0]]
    """

    name = "_contrib_box_nms"
    category = "vision"
    aliases = ("_contrib_box_non_maximum_suppression",)
    argument_docs = {"data": "shape (..., boxes, width); rows of score, coordinates and more"}
    outputs = ("output0", "record")
    output_dtypes = {"record": "int32"}
    num_visible_outputs = 1  # backward reads the input index of each box
    saves = ("record",)
    overlap_thresh = Attribute(float, default=0.5, doc="Overlap above which a box is suppressed.")
    valid_thresh = Attribute(
        float, default=0.0, doc="Boxes with scores up to this value are ignored."
    )
    topk = Attribute(int, default=-1, doc="Number of top boxes to consider; -1: all.")
    coord_start = Attribute(
        int, default=2, doc="Index of the first of the four coordinates in a row."
    )
    score_index = Attribute(int, default=1, doc="Index of the score in a row.")
    id_index = Attribute(int, default=-1, doc="Index of the class in a row; -1: no classes.")
    background_id = Attribute(
        int, default=-1, doc="Boxes of this class are ignored, if id_index is set."
    )
    force_suppress = Attribute(
        bool, default=False, doc="Whether boxes suppress those of other classes too."
    )
    in_format = Attribute(
        str,
        default="corner",
        choices=("center", "corner"),
        doc="corner: (xmin, ymin, xmax, ymax); center: (x, y, width, height).",
    )
    out_format = Attribute(
        str,
        default="corner",
        choices=("center", "corner"),
        doc="Format of the output; rows with xmin or x below 0 are not converted.",
    )

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the shapes of the boxes and of the record, which has one element per box."""
        data: Dims = tuple(in_shape[0])
        if not data:
            return in_shape, [None, None], []
        expect_shape(self, "data", data, "(..., boxes, width), two axes or more", len(data) >= 2)
        if data[-1]:
            self._expect_columns(data[-1])
        return [data], [data, data[:-1]], []

    def declare_backward_dependency(
        self, out_grad: Sequence[int], in_data: Sequence[int], out_data: Sequence[int]
    ) -> list[int]:
        """Exclude the gradient of the record."""
        read = super().declare_backward_dependency(out_grad, in_data, out_data)
        return [i for i in read if i not in out_grad[1:]]

    def _expect_columns(self, width: int) -> None:
        """Raise if columns are out of range or overlap."""
        least = 6 if self.id_index >= 0 else 5
        expect_shape(self, "data", (width,), f"rows of {least} elements or more", width >= least)
        coordinates = range(self.coord_start, self.coord_start + 4)
        columns = {"score_index": self.score_index}
        if self.id_index >= 0:
            columns["id_index"] = self.id_index
        if coordinates[0] < 0 or coordinates[-1] >= width:
            self._reject("coord_start", self.coord_start, f"0 to {width - 4}", width)
        for name, column in columns.items():
            if not 0 <= column < width:
                self._reject(name, column, f"0 to {width - 1}", width)
            if column in coordinates:
                other = f"a column other than the coordinates' {list(coordinates)}"
                self._reject(name, column, other, width)
        if self.id_index == self.score_index:
            self._reject("id_index", self.id_index, "a column other than score_index", width)

    def _reject(self, name: str, value: int, expected: str, width: int) -> None:
        raise AttributeValueError(
            f"operator '{self.name}': {name} is {value}; expected {expected} because data has "
            f"rows of {width} elements"
        )
