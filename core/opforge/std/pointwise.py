"""Elementwise operators that are no single unary or binary kernel, and constants like an array."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from ..native import calls
from ..native.array import numpy_alias
from ..op.declaring.attribute import Attribute, DType
from ..op.declaring.category import Category
from ..op.declaring.inference import united
from ..op.declaring.layouts import BlockedForm, elementwise
from ._operator import StdOperator, needs_gradient, no_gradient, scratch, shape_error, store

__all__: list[str] = []

Shape = tuple[int, ...]


class AddN(StdOperator):
    """Sum arrays of one shape."""

    name = "add_n"
    category = "elementwise"
    blocked_form = elementwise
    attrs = {"FElementwiseShape": True}
    aliases = ("ElementWiseSum",)
    arguments = ("args",)
    variadic = "num_args"
    saves = ()
    num_args = Attribute(int, default=1, ge=1, doc="Number of inputs; set by the call.")

    def complete(self, shapes: list[Shape]) -> list[Shape]:
        known = next((shape for shape in shapes if shape), ())
        for position, shape in enumerate(shapes):
            if shape and shape != known:
                raise shape_error(
                    self.name, f"input number {position} has shape {shape}, the first {known}"
                )
        return [known] * len(shapes)

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Add one after the other."""
        out, how = out_data[0], req[0]
        if how == "null":
            return
        if any(out._shares_memory(x) for x in in_data):
            # Later inputs must not read what earlier ones have left in the output.
            total = in_data[0].copy()
            for x in in_data[1:]:
                calls.binary("add", total, x, total)
            calls.unary("identity", total, out, how)
            return
        calls.unary("identity", in_data[0], out, how)
        for x in in_data[1:]:
            calls.binary("add", out, x, out)

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        return [out_grad[0]] * self.num_args


class _Identity(StdOperator):
    """Copies its input; the subclasses differ in the gradient."""

    category: ClassVar[Category] = "elementwise"
    saves: Sequence[str] = ()
    attrs = {"FInplaceOption": [(0, 0)], "FInplaceIdentity": True}
    blocked_form = elementwise

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Copy."""
        calls.unary("identity", in_data[0], out_data[0], req[0])


class BlockGrad(_Identity):
    """Return `data`; its gradient is zero."""

    name = "BlockGrad"
    attrs = {"FElementwiseShape": True}
    aliases = ("stop_gradient",)
    saves = ("outputs",)

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        # Not like the gradient from above: a graph that does not read it needs none.
        return [F.zeros_like(out_data[0])]


class MakeLoss(_Identity):
    """Return `data` as a loss: its gradient is one, whatever comes from above."""

    name = "make_loss"
    category = "loss"
    attrs = {"FElementwiseShape": True}
    saves = ("outputs",)

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        # Not like the gradient from above: a graph that does not read it needs none.
        return [F.ones_like(out_data[0])]


class Cast(StdOperator):
    """Convert the element type."""

    name = "Cast"
    category = "elementwise"
    blocked_form = elementwise
    attrs = {"FElementwiseShape": True}
    aliases: ClassVar[Sequence[str]] = ("cast",)
    saves = ("inputs",)
    dtype = Attribute(DType, doc="The new type.")

    def output_types(self, common: Any, types: list[Any]) -> list[Any]:
        return [self.dtype]

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Convert."""
        calls.cast(in_data[0], out_data[0], req[0])

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        return [F._cast_like(out_grad[0], in_data[0])]


class CastLike(StdOperator):
    """Convert to the element type of `like`."""

    name = "_cast_like"
    blocked_form = elementwise
    arguments = ("data", "like")
    free_types = ("data",)
    saves = ("inputs",)

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Convert."""
        calls.cast(in_data[0], out_data[0], req[0])

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        return [F._cast_like(out_grad[0], in_data[0]), no_gradient(F, in_data[1])]


class Clip(StdOperator):
    """Limit the elements to a range."""

    name = "clip"
    category = "elementwise"
    blocked_form = elementwise
    attrs = {"FElementwiseShape": True}
    a_min = Attribute(float, doc="Lowest value.")
    a_max = Attribute(float, doc="Highest value.")

    def compose_predicting(self, F: Any, data: Any) -> Any:
        """Return two kernels, which fuse. Other types have bounds of their own."""
        if np.dtype(data.dtype) not in (np.float32, np.float64):
            return None
        return F.minimum(F.maximum(data, self.a_min), self.a_max)

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Limit."""
        calls.clip(in_data[0], self.a_min, self.a_max, out_data[0], req[0])

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        return [out_grad[0] * (in_data[0] == out_data[0])]


class Quadratic(StdOperator):
    """Return ``a * data**2 + b * data + c``.

    Examples
    --------
    >>> from opforge import nd
    >>> nd.contrib.quadratic(nd.array([1, 2]), a=1, b=2, c=3).asnumpy().tolist()
    [6.0, 11.0]
    """

    name = "_contrib_quadratic"
    category = "elementwise"
    attrs = {"FElementwiseShape": True}
    saves = ("inputs",)
    a = Attribute(float, default=0.0, doc="Factor of the squares.")
    b = Attribute(float, default=0.0, doc="Factor of the elements.")
    c = Attribute(float, default=0.0, doc="What is added.")

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Compute with two products."""
        x = in_data[0]
        total = scratch(x, x.shape)
        calls.binary_scalar("multiply", x, self.a, total)
        calls.binary_scalar("add", total, self.b, total)
        calls.binary("multiply", total, x, total)
        calls.binary_scalar("add", total, self.c, out_data[0], req=req[0])

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        return [out_grad[0] * (in_data[0] * (2 * self.a) + self.b)]


class Where(StdOperator):
    """Choose from `x` where `condition` is not 0, else from `y`."""

    name = "where"
    category = "elementwise"
    arguments = ("condition", "x", "y")
    numbers = ("x", "y")
    free_types = ("condition",)
    saves = ("condition",)

    def complete(self, shapes: list[Shape]) -> list[Shape]:
        """Merge the known dimensions of `x`, `y` and the condition."""
        condition, *both = shapes
        common = united(*both) or ()
        if len(condition) == len(common):
            common = united(common, condition) or common
            condition = united(condition, common) or condition
        elif len(condition) == 1 and common:
            common = (common[0] or condition[0], *common[1:])
        return [condition, *(united(shape, common) or shape for shape in both)]

    def infer_inputs(self, in_shapes: Any, out_shapes: Any) -> list[Shape]:
        """Give `x` and `y` the output's shape."""
        condition, *both = in_shapes
        return [condition, *(united(shape, out_shapes[0]) or shape for shape in both)]

    def output_shapes(self, *shapes: Shape) -> list[Shape]:
        condition, x, y = shapes
        if x != y or condition not in (x, x[:1]):
            raise shape_error(
                self.name,
                f"'x' has shape {x}, 'y' {y} and 'condition' {condition}; expected three equal "
                "shapes, or a condition of one element a row",
            )
        return [x]

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Choose."""
        condition, x, y = in_data
        if condition.ndim < x.ndim:
            condition = condition._view(0, condition.shape + (1,) * (x.ndim - 1))
        calls.where(condition, x, y, out_data[0], req[0])

    def blocked_form(self, inputs: Any, needs_gradient: bool) -> BlockedForm | None:
        """Choose element by element; a condition for each row stays with plain arrays."""
        if inputs[0].shape != inputs[1].shape:
            return None
        return elementwise(self, inputs, needs_gradient)

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        condition, x, y = in_data
        dy = out_grad[0]
        zeros = F.zeros_like(dy)
        return [
            no_gradient(F, condition),
            F.where(condition, dy, zeros) if needs_gradient(x) else None,
            F.where(condition, zeros, dy) if needs_gradient(y) else None,
        ]


class _Constant(StdOperator):
    category = "elementwise"
    attrs = {"FElementwiseShape": True, "IsConstant": True}
    blocked_form = elementwise
    saves = ()
    value = 0

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Fill, or add the constant."""
        if req[0] == "add":
            if self.value:
                calls.binary_scalar("add", out_data[0], self.value, out_data[0])
        elif req[0] != "null":
            calls.fill(out_data[0], self.value)

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        return [F.zeros_like(out_grad[0])]


class ZerosLike(_Constant):
    """Return zeros of the shape and type of `data`."""

    name = "zeros_like"


class OnesLike(_Constant):
    """Return ones of the shape and type of `data`."""

    name = "ones_like"
    value = 1


class _Facts(StdOperator):
    category = "shape"
    differentiable = False
    attrs = {"IsConstant": True}

    def output_types(self, common: Any, types: list[Any]) -> list[Any]:
        return [np.int64]


class ShapeArray(_Facts):
    """Return the shape of `data` as an int64 array."""

    name = "shape_array"

    def output_shapes(self, *shapes: Shape) -> list[Shape]:
        return [(len(shapes[0]),)]

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Write the shape."""
        store(out_data[0], np.array(in_data[0].shape, dtype=np.int64), req[0])


class SizeArray(_Facts):
    """Return the number of elements of `data` as an int64 array."""

    name = "size_array"

    def output_shapes(self, *shapes: Shape) -> list[Shape]:
        return [(1,)]

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Write the size."""
        store(out_data[0], np.int64(in_data[0].size), req[0])


class SmoothL1(StdOperator):
    r"""Absolute value that is quadratic near zero: where ``abs(data) < 1 / scalar**2``.

    .. math::

        y = \begin{cases}
        \frac{1}{2} (s x)^2 & \text{where } |x| < 1 / s^2 \\
        |x| - \frac{1}{2 s^2} & \text{elsewhere}
        \end{cases}
    """

    name = "smooth_l1"
    blocked_form = elementwise
    category = "loss"
    attrs = {"FElementwiseShape": True}
    saves = ("inputs",)
    scalar = Attribute(float, default=1.0, doc="The larger, the narrower the quadratic part.")

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Evaluate both branches and choose."""
        x = numpy_alias(in_data[0])
        square = self.scalar * self.scalar
        size = np.abs(x)
        near = size < 1.0 / square
        store(out_data[0], np.where(near, 0.5 * square * x * x, size - 0.5 / square), req[0])

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        slope = F.clip(in_data[0] * (self.scalar * self.scalar), -1.0, 1.0)
        return [out_grad[0] * slope]
