"""Operators that change the shape and not the order of the elements."""

from math import prod
from typing import Any

from ..native import calls
from ..op.declaring.attribute import Attribute
from ..op.declaring.attribute import Shape as Ints
from ._operator import StdOperator, no_gradient, shape_error
from ._shapes import axis_index, reshaped

__all__: list[str] = []

Shape = tuple[int, ...]


class _Reshaping(StdOperator):
    """Copy the elements into another shape; the gradient goes back into the input's shape."""

    category = "shape"
    saves = ("inputs",)
    attrs = {"FInplaceOption": [(0, 0)], "FInplaceIdentity": True, "IsPure": True}

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Copy."""
        out = out_data[0]
        calls.unary("identity", in_data[0]._view(0, out.shape), out, req[0])

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        rest = [no_gradient(F, x) for x in in_data[1:]]
        return [F.reshape_like(out_grad[0], in_data[0]), *rest]


class Reshape(_Reshaping):
    """Give `data` another shape; the codes 0, -1, -2, -3 and -4 copy, infer, merge and split."""

    name = "Reshape"  # graphs are saved under it
    aliases = ("reshape",)
    shape = Attribute(Ints, default=(), doc="Sizes, or codes 0, -1, -2, -3, -4.")
    reverse = Attribute(bool, default=False, doc="Match the codes from the right.")
    target_shape = Attribute(Ints, default=(), doc="Old way of saying `shape`: 0 is inferred.")
    keep_highest = Attribute(bool, default=False, doc="With `target_shape`: keep the first size.")

    def output_shapes(self, *shapes: Shape) -> list[Shape]:
        codes = self.shape
        if self.target_shape and not codes:
            codes = tuple(size or -1 for size in self.target_shape)
            if self.keep_highest:
                codes = (shapes[0][0], *codes[1:])
        return [reshaped("reshape", shapes[0], codes, self.reverse)]

    def infer_inputs(self, in_shapes: Any, out_shapes: Any) -> list[Shape]:
        """Return the only dimension that is not known, as MXNet does."""
        data, whole = in_shapes[0], out_shapes[0]
        if data.count(0) != 1 or 0 in whole:
            return [data]
        rest = prod(size for size in data if size)
        return [tuple(size or prod(whole) // rest for size in data)]


class ReshapeLike(_Reshaping):
    """Give `lhs` the shape of `rhs`, or some of its axes those of `rhs`."""

    name = "reshape_like"
    arguments = ("lhs", "rhs")
    free_types = ("rhs",)
    lhs_begin = Attribute(int, default=None, doc="First axis of `lhs` to replace.")
    lhs_end = Attribute(int, default=None, doc="Axis after the last one.")
    rhs_begin = Attribute(int, default=None, doc="First axis of `rhs` to take.")
    rhs_end = Attribute(int, default=None, doc="Axis after the last one.")

    def output_shapes(self, *shapes: Shape) -> list[Shape]:
        left, right = shapes
        low, high = slice(self.lhs_begin, self.lhs_end).indices(len(left))[:2]
        first, last = slice(self.rhs_begin, self.rhs_end).indices(len(right))[:2]
        target = left[:low] + right[first:last] + left[high:]
        if prod(target) != prod(left):
            raise shape_error(
                self.name, f"Cannot reshape lhs of shape {left} like rhs of shape {right}"
            )
        return [target]


class IdentityLike(_Reshaping):
    """Copy `lhs`, which has the shape of `rhs`."""

    name = "_identity_with_attr_like_rhs"
    attrs = {"FElementwiseShape": True}
    arguments = ("lhs", "rhs")
    free_types = ("rhs",)

    def output_shapes(self, *shapes: Shape) -> list[Shape]:
        left, right = shapes
        if left != right:
            raise shape_error(
                self.name, f"'lhs' has shape {left}, 'rhs' {right}: they must be equal"
            )
        return [left]


class Flatten(_Reshaping):
    """Merge all axes but the first."""

    name = "Flatten"
    aliases = ("flatten",)

    def output_shapes(self, *shapes: Shape) -> list[Shape]:
        data = shapes[0]
        return [(data[0], prod(data[1:]))] if data else [()]


class ExpandDims(_Reshaping):
    """Insert an axis of length 1."""

    name = "expand_dims"
    axis = Attribute(int, doc="Where the new axis stands.")

    def output_shapes(self, *shapes: Shape) -> list[Shape]:
        data = shapes[0]
        axis = axis_index(self.name, self.axis, len(data) + 1)
        return [(*data[:axis], 1, *data[axis:])]

    def infer_inputs(self, in_shapes: Any, out_shapes: Any) -> list[Shape]:
        """Remove the axis again."""
        whole = out_shapes[0]
        axis = axis_index(self.name, self.axis, len(whole))
        return [(*whole[:axis], *whole[axis + 1 :])]


class Squeeze(_Reshaping):
    """Drop axes of length 1."""

    name = "squeeze"
    axis = Attribute(Ints, default=None, doc="Axes to drop; None: all of length 1.")

    def output_shapes(self, *shapes: Shape) -> list[Shape]:
        data = shapes[0]
        if self.axis is None:
            left = tuple(size for size in data if size != 1)
        else:
            axes = {axis_index(self.name, axis, len(data)) for axis in self.axis}
            for axis in sorted(axes):
                if data[axis] != 1:
                    raise shape_error(
                        self.name, f"cannot squeeze axis {axis} of shape {data}: it is not 1"
                    )
            left = tuple(size for axis, size in enumerate(data) if axis not in axes)
        return [left or ((1,) if data else ())]
