"""Operators that change the shape but not the order of the elements."""

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
    """Base of operators that reshape; the gradient has the shape of the input."""

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
    """Reshape `data`; the codes 0 and -2 copy, -1 infers, -3 merges and -4 splits dimensions.

    Examples
    --------
    >>> from opforge import nd
    >>> nd.Reshape(nd.zeros((2, 3, 4)), shape=(0, -1)).shape
    (2, 12)
    >>> nd.Reshape(nd.zeros((2, 3, 4)), shape=(-3, 0)).shape
    (6, 4)
    """

    name = "Reshape"  # name in saved graphs
    aliases = ("reshape",)
    shape = Attribute(Ints, default=(), doc="Sizes, or codes 0, -1, -2, -3, -4.")
    reverse = Attribute(bool, default=False, doc="Match the codes from the right.")
    target_shape = Attribute(Ints, default=(), doc="Older form of `shape`, in which 0 is inferred.")
    keep_highest = Attribute(bool, default=False, doc="With `target_shape`: keep the first size.")

    def output_shapes(self, *shapes: Shape) -> list[Shape]:
        codes = self.shape
        if self.target_shape and not codes:
            codes = tuple(size or -1 for size in self.target_shape)
            if self.keep_highest:
                codes = (shapes[0][0], *codes[1:])
        return [reshaped("reshape", shapes[0], codes, self.reverse)]

    def infer_inputs(self, in_shapes: Any, out_shapes: Any) -> list[Shape]:
        """Infer a single unknown dimension, as in MXNet."""
        data, out = in_shapes[0], out_shapes[0]
        if data.count(0) != 1 or 0 in out:
            return [data]
        rest = prod(size for size in data if size)
        return [tuple(size or prod(out) // rest for size in data)]


class ReshapeLike(_Reshaping):
    """Reshape `lhs` to the shape of `rhs`, or replace some of its axes by those of `rhs`.

    Examples
    --------
    >>> from opforge import nd
    >>> nd.reshape_like(nd.zeros((6,)), nd.zeros((2, 3))).shape
    (2, 3)
    """

    name = "reshape_like"
    arguments = ("lhs", "rhs")
    argument_dtypes = {"rhs": ("any",)}
    lhs_begin = Attribute(int, default=None, doc="First axis of `lhs` to replace.")
    lhs_end = Attribute(int, default=None, doc="Axis after the last one.")
    rhs_begin = Attribute(int, default=None, doc="First axis of `rhs` to use.")
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
    argument_dtypes = {"rhs": ("any",)}

    def output_shapes(self, *shapes: Shape) -> list[Shape]:
        left, right = shapes
        if left != right:
            raise shape_error(
                self.name, f"'lhs' has shape {left} and 'rhs' {right}; expected equal shapes"
            )
        return [left]


class Flatten(_Reshaping):
    """Merge all axes except the first.

    Examples
    --------
    >>> from opforge import nd
    >>> nd.Flatten(nd.zeros((2, 3, 4))).shape
    (2, 12)
    """

    name = "Flatten"
    aliases = ("flatten",)

    def output_shapes(self, *shapes: Shape) -> list[Shape]:
        data = shapes[0]
        return [(data[0], prod(data[1:]))] if data else [()]


class ExpandDims(_Reshaping):
    """Insert an axis of length 1.

    Examples
    --------
    >>> from opforge import nd
    >>> nd.expand_dims(nd.zeros((2, 3)), axis=1).shape
    (2, 1, 3)
    """

    name = "expand_dims"
    axis = Attribute(int, doc="Position of the new axis.")

    def output_shapes(self, *shapes: Shape) -> list[Shape]:
        data = shapes[0]
        axis = axis_index(self.name, self.axis, len(data) + 1)
        return [(*data[:axis], 1, *data[axis:])]

    def infer_inputs(self, in_shapes: Any, out_shapes: Any) -> list[Shape]:
        """Infer the shape without the axis."""
        out = out_shapes[0]
        axis = axis_index(self.name, self.axis, len(out))
        return [(*out[:axis], *out[axis + 1 :])]


class Squeeze(_Reshaping):
    """Remove axes of length 1.

    Examples
    --------
    >>> from opforge import nd
    >>> nd.squeeze(nd.zeros((2, 1, 3, 1))).shape
    (2, 3)
    """

    name = "squeeze"
    axis = Attribute(Ints, default=None, doc="Axes to remove; None: all of length 1.")

    def output_shapes(self, *shapes: Shape) -> list[Shape]:
        data = shapes[0]
        if self.axis is None:
            left = tuple(size for size in data if size != 1)
        else:
            axes = {axis_index(self.name, axis, len(data)) for axis in self.axis}
            for axis in sorted(axes):
                if data[axis] != 1:
                    raise shape_error(
                        self.name,
                        f"cannot squeeze axis {axis} of shape {data}: its length is not 1",
                    )
            left = tuple(size for axis, size in enumerate(data) if axis not in axes)
        return [left or ((1,) if data else ())]
