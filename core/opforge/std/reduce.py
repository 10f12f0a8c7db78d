"""Reductions over axes, and the operators that broadcast their gradients."""

from typing import Any

from ..base.errors import ShapeError
from ..native import calls
from ..op.declaring.attribute import Attribute, DType, Shape
from ._operator import StdOperator, no_gradient, no_gradients, scratch
from ._shapes import axis_index, last_position, reduced_shape, reduction_axes

__all__ = ["Reduction"]

_AXIS = "Axes to reduce; None: all."
_KEEP = "Keep the reduced axes with length 1."
_EXCLUDE = "Reduce all axes except those in `axis`."


class _OverAxes(StdOperator):
    """Base of operators that reduce axes; `kernel` is the name of the kernel."""

    category = "reduction"
    kernel = ""
    axis: Any = None
    keepdims: Any = False
    exclude: Any = False

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        if self.kernel and self.compute is None:
            self.compute = calls.Reduce(self.kernel, self.axis, self.exclude)

    def axes_of(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """Return the axes to reduce."""
        return reduction_axes(self.name, self.axis, len(shape), self.exclude)

    def output_shapes(self, *shapes: tuple[int, ...]) -> list[tuple[int, ...]]:
        return [reduced_shape(shapes[0], self.axes_of(shapes[0]), self.keepdims)]

    def spread(self, F: Any, small: Any, like: Any) -> Any:
        """Broadcast `small`, which has the shape of the result, to that of `like`."""
        return F._backward_sum(small, like, self.axis, self.keepdims, self.exclude)


class Reduction(_OverAxes):
    """Base with the attributes of most reductions, in MXNet's order."""

    axis = Attribute(Shape, default=None, doc=_AXIS)
    keepdims = Attribute(bool, default=False, doc=_KEEP)
    exclude = Attribute(bool, default=False, doc=_EXCLUDE)


class Sum(Reduction):
    """Sum over axes.

    Examples
    --------
    >>> from opforge import nd
    >>> nd.sum(nd.array([[1, 2, 3], [4, 5, 6]]), axis=1).asnumpy().tolist()
    [6.0, 15.0]
    """

    name = "sum"
    aliases = ("sum_axis",)
    kernel = "sum"
    saves = ("inputs",)

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        return [self.spread(F, out_grad[0], in_data[0])]


class Mean(Reduction):
    """Arithmetic mean over axes.

    Examples
    --------
    >>> from opforge import nd
    >>> nd.mean(nd.array([[1, 2, 3], [4, 5, 6]]), axis=1).asnumpy().tolist()
    [2.0, 5.0]
    """

    name = "mean"
    kernel = "mean"
    saves = ("inputs",)

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        return [F._backward_mean(out_grad[0], in_data[0], self.axis, self.keepdims, self.exclude)]


class NanSum(Reduction):
    """Sum over axes, with nan as 0.

    Examples
    --------
    >>> from opforge import nd
    >>> nd.nansum(nd.array([2, float('nan'), 3])).asnumpy().tolist()
    [5.0]
    """

    name = "nansum"
    kernel = "nansum"
    saves = ("inputs",)

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        x = in_data[0]
        return [self.spread(F, out_grad[0], x) * (x == x)]


class _Extreme(Reduction):
    """Base of max and min; all elements equal to the result get the gradient, as in MXNet."""

    def check_sizes(self, in_shapes: list[tuple[int, ...]]) -> None:
        """Reject reductions of no elements, which have no largest or smallest one."""
        shape = in_shapes[0]
        axes = self.axes_of(shape)
        if any(shape[axis] == 0 for axis in axes) and 0 not in reduced_shape(shape, axes, False):
            raise ShapeError(
                f"operator '{self.name}': 'data' has shape {shape}, expected elements along axes "
                f"{axes}, of which it returns one. Check data.size first"
            )

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        x = in_data[0]
        return [self.spread(F, out_grad[0], x) * (x == self.spread(F, out_data[0], x))]


class Max(_Extreme):
    """Largest element over axes.

    Examples
    --------
    >>> from opforge import nd
    >>> nd.max(nd.array([[1, 2, 3], [4, 5, 6]]), axis=1).asnumpy().tolist()
    [3.0, 6.0]
    """

    name = "max"
    aliases = ("max_axis",)
    kernel = "max"


class Min(_Extreme):
    """Smallest element over axes.

    Examples
    --------
    >>> from opforge import nd
    >>> nd.min(nd.array([[1, 2, 3], [4, 5, 6]]), axis=1, keepdims=True).asnumpy().tolist()
    [[1.0], [4.0]]
    """

    name = "min"
    aliases = ("min_axis",)
    kernel = "min"


class Norm(_OverAxes):
    """Norm over axes: the L2 norm, or the sum of absolute values with ``ord=1``.

    Examples
    --------
    >>> from opforge import nd
    >>> nd.norm(nd.array([3, 4])).asnumpy().tolist()
    [5.0]
    >>> nd.norm(nd.array([3, -4]), ord=1).asnumpy().tolist()
    [7.0]
    """

    name = "norm"
    output_dtypes = {"output": "out_dtype"}
    ord = Attribute(int, default=2, choices=(1, 2), doc="Order of the norm, 1 or 2.")
    axis = Attribute(Shape, default=None, doc=_AXIS)
    out_dtype = Attribute(DType, default=None, doc="Element type of the result.")
    keepdims = Attribute(bool, default=False, doc=_KEEP)

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        if self.out_dtype is None:
            # Only a conversion needs the method below; otherwise a kernel does all the work.
            self.compute = calls.Reduce(self._kernel_name(), self.axis)  # type: ignore[method-assign]

    def _kernel_name(self) -> str:
        return "norm" if self.ord == 2 else "norm1"

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        x, out = in_data[0], out_data[0]
        if x.dtype_code != out.dtype_code:
            converted = scratch(x, x.shape, out.dtype_code)
            calls.cast(x, converted)
            x = converted
        calls.reduce(self._kernel_name(), x, out, self.axes_of(x.shape), req[0])

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        x, y, dtype = in_data[0], out_data[0], in_data[0].dtype
        if y.dtype != dtype:
            x = F.cast(x, dtype=y.dtype)
        if self.ord == 1:
            grad = self.spread(F, out_grad[0], x) * F.sign(x)
        else:
            # If the norm is 0, so is x, and any finite factor gives the gradient 0.
            grad = self.spread(F, out_grad[0] / (y + (y == 0.0)), x) * x
        return [grad if y.dtype == dtype else F.cast(grad, dtype=dtype)]


class _Spread(Reduction):
    """Base of operators that broadcast a reduction's gradient to the shape of `like`."""

    arguments = ("ograd", "like")
    saves = ("inputs",)

    def output_shapes(self, *shapes: tuple[int, ...]) -> list[tuple[int, ...]]:
        return [shapes[1]]

    is_mean = False

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.compute = calls.Spread(self.axis, self.exclude, self.is_mean)


class BackwardSum(_Spread):
    """Broadcast the gradient of a sum to the shape of `like`."""

    name = "_backward_sum"

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        back = F.sum(out_grad[0], self.axis, self.keepdims, self.exclude)
        return [F.reshape_like(back, in_data[0]), no_gradient(F, in_data[1])]


class BackwardMean(_Spread):
    """Broadcast the gradient of a mean to the shape of `like`, divided by the count."""

    name = "_backward_mean"
    is_mean = True

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        back = F.mean(out_grad[0], self.axis, self.keepdims, self.exclude)
        return [F.reshape_like(back, in_data[0]), no_gradient(F, in_data[1])]


class _ArgReduction(StdOperator):
    """Base of argmax and argmin; as in MXNet, the default result type is that of `data`."""

    category = "reduction"
    output_dtypes = {"output": "dtype"}
    kernel = ""
    axis = Attribute(int, default=None, doc="Axis to search; None: the flattened array.")
    keepdims = Attribute(bool, default=False, doc=_KEEP)
    dtype = Attribute(DType, default=None, doc="Element type of the result; None: that of `data`.")
    saves = ()
    zero_gradient = True
    gradient = no_gradients

    def searched(self, ndim: int) -> int | None:
        """Return the axis to search; None for the flattened array."""
        return None if self.axis is None else axis_index(self.name, self.axis, ndim)

    def output_shapes(self, *shapes: tuple[int, ...]) -> list[tuple[int, ...]]:
        axis = None if self.axis is None else (self.axis,)
        axes = reduction_axes(self.name, axis, len(shapes[0]))
        return [reduced_shape(shapes[0], axes, self.keepdims)]

    def highest_position(self, in_shapes: list[tuple[int, ...]]) -> list[int]:
        """Return the last index along the axis."""
        return [last_position(in_shapes[0], self.searched(len(in_shapes[0])))]

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Search."""
        x = in_data[0]
        calls.argreduce(self.kernel, x, out_data[0], self.searched(x.ndim), req[0])


class Argmax(_ArgReduction):
    """Index of the largest element, the first if several are equal.

    Examples
    --------
    >>> from opforge import nd
    >>> nd.argmax(nd.array([[1, 3, 2], [6, 5, 4]]), axis=1).asnumpy().tolist()
    [1.0, 0.0]
    """

    name = "argmax"
    kernel = "argmax"


class Argmin(_ArgReduction):
    """Index of the smallest element, the first if several are equal.

    Examples
    --------
    >>> from opforge import nd
    >>> nd.argmin(nd.array([[1, 3, 2], [6, 5, 4]]), axis=1).asnumpy().tolist()
    [0.0, 2.0]
    """

    name = "argmin"
    kernel = "argmin"


class ArgmaxChannel(_ArgReduction):
    """Index of the largest element along axis 1, the channels of a batch.

    Examples
    --------
    >>> from opforge import nd
    >>> nd.argmax_channel(nd.array([[1, 3, 2], [6, 5, 4]])).asnumpy().tolist()
    [1.0, 0.0]
    """

    name = "argmax_channel"
    kernel = "argmax"
    axis = 1
    keepdims = False
