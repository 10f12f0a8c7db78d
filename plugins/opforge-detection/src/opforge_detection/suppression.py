"""box_nms: which of the boxes that overlap stay."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from opforge.plugin_api import Attribute, AttributeValueError

from .declaring import Detector, Dims, expect_shape


class BoxNMS(Detector):
    """Keep the best of boxes that overlap; sort by score, put what is left first, fill up with -1.

    A box is a row with its score, four coordinates, and perhaps a class and more. Of two boxes
    whose overlap is above `overlap_thresh`, the one with the lower score goes; of equal scores,
    the later one. The gradient of a box that stays goes to where it came from.

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
    argument_docs = {"data": "shape (..., boxes, width); a row has score, coordinates and more"}
    outputs = ("output", "record")
    num_visible_outputs = 1  # backward reads where each box came from
    saves = ("record",)
    overlap_thresh = Attribute(float, default=0.5, doc="Overlap above which a box goes.")
    valid_thresh = Attribute(float, default=0.0, doc="Boxes with scores up to here do not count.")
    topk = Attribute(int, default=-1, doc="How many of the best boxes are looked at; -1: all.")
    coord_start = Attribute(int, default=2, doc="Where the four coordinates begin in a row.")
    score_index = Attribute(int, default=1, doc="Where the score is in a row.")
    id_index = Attribute(int, default=-1, doc="Where the class is in a row; -1: there is none.")
    background_id = Attribute(
        int, default=-1, doc="Boxes of this class do not count, where there are classes."
    )
    force_suppress = Attribute(bool, default=False, doc="Boxes go for those of other classes too.")
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
        doc="The same; rows with xmin or x below 0 stay.",
    )

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the shape of the boxes, and without their rows that of the record."""
        data: Dims = tuple(in_shape[0])
        if not data:
            return in_shape, [None, None], []
        expect_shape(self, "data", data, "(..., boxes, width), two axes or more", len(data) >= 2)
        if data[-1]:
            self._expect_columns(data[-1])
        return [data], [data, data[:-1]], []

    def infer_type(self, in_type: Sequence[Any]) -> tuple[list[Any], list[Any], list[Any]]:
        """Return the type of the boxes; places of boxes are int32."""
        inputs, (output, _), states = super().infer_type(in_type)
        return inputs, [output, np.int32], states

    def declare_backward_dependency(
        self, out_grad: Sequence[int], in_data: Sequence[int], out_data: Sequence[int]
    ) -> list[int]:
        """Leave out the gradient of the record."""
        read = super().declare_backward_dependency(out_grad, in_data, out_data)
        return [i for i in read if i not in out_grad[1:]]

    def _expect_columns(self, width: int) -> None:
        """Reject columns that the rows do not have, or that are named twice."""
        least = 6 if self.id_index >= 0 else 5
        expect_shape(self, "data", (width,), f"rows of {least} elements or more", width >= least)
        coordinates = range(self.coord_start, self.coord_start + 4)
        columns = {"score_index": self.score_index}
        if self.id_index >= 0:
            columns["id_index"] = self.id_index
        if coordinates[0] < 0 or coordinates[-1] >= width:
            self._refuse("coord_start", self.coord_start, f"0 to {width - 4}", width)
        for name, column in columns.items():
            if not 0 <= column < width:
                self._refuse(name, column, f"0 to {width - 1}", width)
            if column in coordinates:
                other = f"none of the coordinates' {list(coordinates)}"
                self._refuse(name, column, other, width)
        if self.id_index == self.score_index:
            self._refuse("id_index", self.id_index, "another column than score_index", width)

    def _refuse(self, name: str, value: int, expected: str, width: int) -> None:
        raise AttributeValueError(
            f"operator '{self.name}': {name} is {value}, expected {expected}; data has rows of "
            f"{width} elements"
        )


OPERATORS = (BoxNMS,)
