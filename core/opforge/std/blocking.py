"""Conversions between plain arrays and blocked arrays, with an axis divided into groups of lanes.

Graphs insert them at the boundaries of regions of blocked arrays.
"""

from typing import Any

from ..native import calls
from ..op.declaring.attribute import Attribute
from ..op.declaring.layouts import Blocked
from ._operator import StdOperator, shape_error

__all__: list[str] = []

Shape = tuple[int, ...]


class Block(StdOperator):
    """Divide an axis into groups of lanes, which become the last axis."""

    name = "_block"
    category = "shape"
    saves = ()
    axis = Attribute(int, ge=0, doc="The axis to divide.")
    lanes = Attribute(int, ge=1, doc="Elements of a group; must divide the axis.")

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.compute = calls.Block(self.axis)

    def output_shapes(self, *shapes: Shape) -> list[Shape]:
        data, layout = shapes[0], Blocked(self.axis, self.lanes)
        if not data:
            return [()]
        if not layout.fits(data):
            raise shape_error(
                self.name,
                f"axis {self.axis} of shape {data} cannot be divided into groups of {self.lanes}",
            )
        return [layout.shape(data)]

    def infer_inputs(self, in_shapes: Any, out_shapes: Any) -> list[Shape]:
        """Infer the undivided shape."""
        return [_joined_shape(self.name, out_shapes[0], self.axis)]

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        return [F._unblock(out_grad[0], axis=self.axis)]


class Unblock(StdOperator):
    """Merge the lanes in the last axis with the groups of an axis: the inverse of `_block`."""

    name = "_unblock"
    category = "shape"
    saves = ("inputs",)
    axis = Attribute(int, ge=0, doc="The axis that was divided.")

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.compute = calls.Unblock(self.axis)

    def output_shapes(self, *shapes: Shape) -> list[Shape]:
        return [_joined_shape(self.name, shapes[0], self.axis)]

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        return [F._block(out_grad[0], axis=self.axis, lanes=in_data[0].shape[-1])]


def _joined_shape(operator: str, blocked: Shape, axis: int) -> Shape:
    """Return the undivided shape."""
    if not blocked:
        return ()
    if axis > len(blocked) - 2:
        raise shape_error(
            operator,
            f"axis {axis} of shape {blocked} is not before the last axis, which has the lanes",
        )
    return (*blocked[:axis], blocked[axis] * blocked[-1], *blocked[axis + 1 : -1])
