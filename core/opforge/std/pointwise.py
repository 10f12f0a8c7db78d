"""Elementwise operators without a single kernel, and constants in the shape of an array."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from ..base.dtypes import code_of
from ..native import calls
from ..native.array import numpy_alias
from ..op.declaring.attribute import Attribute, DType
from ..op.declaring.category import Category
from ..op.declaring.element_types import OutputRule
from ..op.declaring.inference import united
from ..op.declaring.layouts import BlockedForm, elementwise
from ._operator import (
    StdOperator,
    needs_gradient,
    no_gradient,
    no_gradients,
    scratch,
    shape_error,
    store,
)

__all__: list[str] = []

Shape = tuple[int, ...]
_BFLOAT16 = code_of("bfloat16")


class AddN(StdOperator):
    """Sum arrays of the same shape.

    Examples
    --------
    >>> from opforge import nd
    >>> nd.add_n(nd.array([1, 2]), nd.array([10, 20]), nd.array([100, 200])).asnumpy().tolist()
    [111.0, 222.0]
    """

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
            # The output may overlap later inputs, so accumulate in a copy.
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
    """Base of operators that copy their input and differ in the gradient."""

    category: ClassVar[Category] = "elementwise"
    saves: Sequence[str] = ()
    attrs = {"FInplaceOption": [(0, 0)], "FInplaceIdentity": True}
    blocked_form = elementwise

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Copy."""
        calls.unary("identity", in_data[0], out_data[0], req[0])


class BlockGrad(_Identity):
    """Return `data`; its gradient is zero.

    Examples
    --------
    >>> from opforge import autograd, nd
    >>> x = nd.array([2, 3])
    >>> x.attach_grad()
    >>> with autograd.record():
    ...     y = nd.BlockGrad(x) * x
    >>> y.backward()
    >>> x.grad.asnumpy().tolist()
    [2.0, 3.0]
    """

    name = "BlockGrad"
    attrs = {"FElementwiseShape": True}
    aliases = ("stop_gradient",)
    saves = ("outputs",)
    zero_gradient = True

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        # Based on the output instead of the output gradient, which graphs need not compute then.
        return [F.zeros_like(out_data[0])]


class MakeLoss(_Identity):
    """Return `data` as a loss: its gradient is one, independent of the output gradient.

    Examples
    --------
    >>> from opforge import autograd, nd
    >>> x = nd.array([2, 3])
    >>> x.attach_grad()
    >>> with autograd.record():
    ...     y = nd.make_loss(x * x)
    >>> y.backward()
    >>> x.grad.asnumpy().tolist()
    [4.0, 6.0]
    """

    name = "make_loss"
    category = "loss"
    outputs = ("loss",)
    need_top_grad = False
    attrs = {"FElementwiseShape": True}
    saves = ("outputs",)

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        # Based on the output instead of the output gradient, which graphs need not compute then.
        return [F.ones_like(out_data[0])]


class Cast(StdOperator):
    """Convert the element type.

    Examples
    --------
    >>> from opforge import nd
    >>> nd.Cast(nd.array([1.7, -1.7]), dtype="int32").asnumpy().tolist()
    [1, -1]
    """

    name = "Cast"
    category = "elementwise"
    blocked_form = elementwise
    attrs = {"FElementwiseShape": True, "IsPure": True}
    aliases: ClassVar[Sequence[str]] = ("cast",)
    output_dtypes: Mapping[str, OutputRule] = {"output": "dtype"}
    saves = ("inputs",)
    dtype = Attribute(DType, doc="Target type.")

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
    argument_dtypes = {"data": ("any",)}
    saves = ("inputs",)

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Convert."""
        calls.cast(in_data[0], out_data[0], req[0])

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        return [F._cast_like(out_grad[0], in_data[0]), no_gradient(F, in_data[1])]


class Clip(StdOperator):
    """Limit the elements to a range.

    Examples
    --------
    >>> from opforge import nd
    >>> nd.clip(nd.array([-5, 0.5, 5]), a_min=-1, a_max=1).asnumpy().tolist()
    [-1.0, 0.5, 1.0]
    """

    name = "clip"
    category = "elementwise"
    blocked_form = elementwise
    attrs = {"FElementwiseShape": True}
    a_min = Attribute(float, doc="Lowest value.")
    a_max = Attribute(float, doc="Highest value.")

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.compute = calls.Clip(self.a_min, self.a_max)

    def compose_predicting(self, F: Any, data: Any) -> Any:
        """Use two kernels if they fuse; other types, and bounds that bfloat16 rounds, do not."""
        dtype = np.dtype(data.dtype)
        bounds = np.array([self.a_min, self.a_max])
        with np.errstate(over="ignore"):  # to infinity, which differs from the bound
            is_exact = code_of(dtype) == _BFLOAT16 and (bounds.astype(dtype) == bounds).all()
        if dtype not in (np.float32, np.float64) and not is_exact:
            return None
        return F.minimum(F.maximum(data, self.a_min), self.a_max)

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
    a = Attribute(float, default=0.0, doc="Quadratic coefficient.")
    b = Attribute(float, default=0.0, doc="Linear coefficient.")
    c = Attribute(float, default=0.0, doc="Constant term.")

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Compute by Horner's method."""
        x = in_data[0]
        total = scratch(x, x.shape)
        calls.binary_scalar("multiply", x, self.a, total)
        calls.binary_scalar("add", total, self.b, total)
        calls.binary("multiply", total, x, total)
        calls.binary_scalar("add", total, self.c, out_data[0], req=req[0])

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        return [out_grad[0] * (in_data[0] * (2 * self.a) + self.b)]


class Where(StdOperator):
    """Select elements of `x` where `condition` is not 0, and of `y` elsewhere.

    Examples
    --------
    >>> from opforge import nd
    >>> nd.where(nd.array([1, 0]), nd.array([1, 2]), nd.array([10, 20])).asnumpy().tolist()
    [1.0, 20.0]
    """

    name = "where"
    category = "elementwise"
    arguments = ("condition", "x", "y")
    numbers = ("x", "y")
    argument_dtypes = {"condition": ("any",)}
    saves = ("condition",)

    def complete(self, shapes: list[Shape]) -> list[Shape]:
        """Merge the known dimensions of `x`, `y` and `condition`."""
        condition, *both = shapes
        common = united(*both) or ()
        if len(condition) == len(common):
            common = united(common, condition) or common
            condition = united(condition, common) or condition
        elif len(condition) == 1 and common:
            common = (common[0] or condition[0], *common[1:])
        return [condition, *(united(shape, common) or shape for shape in both)]

    def infer_inputs(self, in_shapes: Any, out_shapes: Any) -> list[Shape]:
        """Infer the shapes of `x` and `y` from that of the output."""
        condition, *both = in_shapes
        return [condition, *(united(shape, out_shapes[0]) or shape for shape in both)]

    def output_shapes(self, *shapes: Shape) -> list[Shape]:
        condition, x, y = shapes
        if x != y or condition not in (x, x[:1]):
            raise shape_error(
                self.name,
                f"'x' has shape {x}, 'y' {y} and 'condition' {condition}; expected three equal "
                "shapes, or a condition with one element for each row",
            )
        return [x]

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Select."""
        condition, x, y = in_data
        if condition.ndim < x.ndim:
            condition = condition._view(0, condition.shape + (1,) * (x.ndim - 1))
        calls.where(condition, x, y, out_data[0], req[0])

    def blocked_form(self, inputs: Any, needs_gradient: bool) -> BlockedForm | None:
        """Select elementwise; a condition for each row does not support blocked arrays."""
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
    zero_gradient = True
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
    """Return zeros of the shape and type of `data`.

    Examples
    --------
    >>> from opforge import nd
    >>> nd.zeros_like(nd.array([[1, 2]])).asnumpy().tolist()
    [[0.0, 0.0]]
    """

    name = "zeros_like"


class OnesLike(_Constant):
    """Return ones of the shape and type of `data`.

    Examples
    --------
    >>> from opforge import nd
    >>> nd.ones_like(nd.array([[1, 2]])).asnumpy().tolist()
    [[1.0, 1.0]]
    """

    name = "ones_like"
    value = 1


class _Facts(StdOperator):
    category = "shape"
    output_dtypes = {"output": "int64"}
    saves = ()
    zero_gradient = True
    gradient = no_gradients
    attrs = {"IsConstant": True}


class ShapeArray(_Facts):
    """Return the shape of `data` as an int64 array.

    Examples
    --------
    >>> from opforge import nd
    >>> nd.shape_array(nd.zeros((2, 3))).asnumpy().tolist()
    [2, 3]
    """

    name = "shape_array"

    def output_shapes(self, *shapes: Shape) -> list[Shape]:
        return [(len(shapes[0]),)]

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Write the shape."""
        store(out_data[0], np.array(in_data[0].shape, dtype=np.int64), req[0])


class SizeArray(_Facts):
    """Return the number of elements of `data` as an int64 array.

    Examples
    --------
    >>> from opforge import nd
    >>> nd.size_array(nd.zeros((2, 3))).asnumpy().tolist()
    [6]
    """

    name = "size_array"

    def output_shapes(self, *shapes: Shape) -> list[Shape]:
        return [(1,)]

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Write the size."""
        store(out_data[0], np.int64(in_data[0].size), req[0])


class SmoothL1(StdOperator):
    r"""Smooth L1 function: absolute value, quadratic for ``abs(data) < 1 / scalar**2``.

    .. math::

        y = \begin{cases}
        \frac{1}{2} (s x)^2 & \text{where } |x| < 1 / s^2 \\
        |x| - \frac{1}{2 s^2} & \text{elsewhere}
        \end{cases}

    Examples
    --------
    >>> from opforge import nd
    >>> nd.smooth_l1(nd.array([-2, 0.5, 3]), scalar=1).asnumpy().tolist()
    [1.5, 0.125, 2.5]
    """

    name = "smooth_l1"
    blocked_form = elementwise
    category = "loss"
    attrs = {"FElementwiseShape": True}
    saves = ("inputs",)
    scalar = Attribute(float, default=1.0, doc="Inverse width of the quadratic part.")

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Evaluate both branches and select."""
        x = numpy_alias(in_data[0])
        square = self.scalar * self.scalar
        size = np.abs(x)
        near = size < 1.0 / square
        store(out_data[0], np.where(near, 0.5 * square * x * x, size - 0.5 / square), req[0])

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        slope = F.clip(in_data[0] * (self.scalar * self.scalar), -1.0, 1.0)
        return [out_grad[0] * slope]
