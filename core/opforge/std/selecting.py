"""Operators that read or write elements by index."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from ..base.errors import IndexRangeError
from ..native import calls
from ..native.array import numpy_alias
from ..op.declaring.attribute import Attribute, DType
from ..op.declaring.inference import united
from ._operator import StdOperator, no_gradient, no_gradients, shape_error, store
from ._shapes import axis_index, reduced_shape

__all__: list[str] = []

Shape = tuple[int, ...]

_MODE = "Treatment of indices out of bounds: clip, wrap around, or raise an error."


class _AlongAxis(StdOperator):
    """Base of `take` and its gradient."""

    argument_dtypes = {"indices": ("any",)}
    saves = ("inputs",)
    call: ClassVar[Any]
    axis = Attribute(int, default=0, doc="The axis.")
    mode = Attribute(str, default="clip", choices=("clip", "wrap", "raise"), doc=_MODE)

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.compute = self.call(self.axis, self.mode)


class Take(_AlongAxis):
    """Take the entries of `a` at `indices` along an axis.

    Examples
    --------
    >>> from opforge import nd
    >>> nd.take(nd.array([[1, 2], [3, 4], [5, 6]]), nd.array([2, 0])).asnumpy().tolist()
    [[5.0, 6.0], [1.0, 2.0]]
    """

    name = "take"
    category = "selection"
    arguments = ("a", "indices")
    call = calls.Take

    def output_shapes(self, *shapes: Shape) -> list[Shape]:
        data, indices = shapes
        if not data:
            return [()]
        axis = axis_index(self.name, self.axis, len(data))
        return [(data[:axis] + indices + data[axis + 1 :]) or (1,)]

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        a, indices = in_data
        return [
            F._backward_take(out_grad[0], a, indices, self.axis, self.mode),
            no_gradient(F, indices),
        ]


class BackwardTake(_AlongAxis):
    """Add the entries of `ograd` at `indices` to zeros like `like`."""

    name = "_backward_take"
    arguments = ("ograd", "like", "indices")
    call = calls.TakeGrad

    def output_shapes(self, *shapes: Shape) -> list[Shape]:
        return [shapes[1]]

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        _, like, indices = in_data
        back = F.take(out_grad[0], indices, self.axis, self.mode)
        return [back, no_gradient(F, like), no_gradient(F, indices)]


class Pick(StdOperator):
    """Pick the element at `index` along an axis, for each position along the other axes.

    Examples
    --------
    >>> from opforge import nd
    >>> nd.pick(nd.array([[1, 2], [3, 4]]), nd.array([1, 0]), axis=1).asnumpy().tolist()
    [2.0, 3.0]
    """

    name = "pick"
    category = "selection"
    aliases: ClassVar[Sequence[str]] = ("choose_element_0index",)
    arguments: ClassVar[Sequence[str]] = ("data", "index")
    argument_dtypes = {"index": ("any",)}
    saves = ("inputs",)
    axis = Attribute(int, default=-1, optional=True, doc="The axis; None: the flattened array.")
    keepdims = Attribute(bool, default=False, doc="Keep the axis with length 1.")
    mode = Attribute(str, default="clip", choices=("clip", "wrap"), doc=_MODE)

    def complete(self, shapes: list[Shape]) -> list[Shape]:
        """Infer the shape of `index`: that of `data` without the axis, or with length 1 there."""
        data, index = shapes
        if not data or self.axis is None:
            return [data, index]
        axes = (axis_index(self.name, self.axis, len(data)),)
        expected = reduced_shape(data, axes, keepdims=len(index) == len(data))
        return [data, united(index, expected) or index]

    def output_shapes(self, *shapes: Shape) -> list[Shape]:
        data, index = shapes
        if not data:
            return [()]
        if self.axis is None:
            return [index]
        axis = axis_index(self.name, self.axis, len(data))
        out = reduced_shape(data, (axis,), self.keepdims)
        if index not in (reduced_shape(data, (axis,), False), reduced_shape(data, (axis,), True)):
            raise shape_error(
                self.name, f"'index' has shape {index}, expected {out}: 'data' is {data}"
            )
        return [out]

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Copy the elements."""
        data, index = in_data
        if not index.size:
            self.output_shapes(data.shape, index.shape)  # inference takes 0 for an unknown size
        if self.axis is None:
            calls.take(data._view(0, (data.size,)), index, out_data[0], 0, self.mode, req[0])
            return
        index, axis = _pick_arguments(self, data, index)
        calls.pick(data, index, out_data[0]._view(0, index.shape), axis, self.mode, req[0])

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        data, index = in_data
        grad = F._backward_pick(out_grad[0], data, index, self.axis, self.keepdims, self.mode)
        return [grad, no_gradient(F, index)]


def _pick_arguments(prop: Any, data: Any, index: Any) -> tuple[Any, int]:
    """Return the arguments of the kernel: `index` without the axis, and the axis."""
    axis = axis_index(prop.name, prop.axis, data.ndim)
    return index._view(0, data.shape[:axis] + data.shape[axis + 1 :]), axis


class BackwardPick(Pick):
    """Write `ograd` at `index` to zeros like `like`."""

    name = "_backward_pick"
    aliases = ()
    arguments = ("ograd", "like", "index")
    complete = StdOperator.complete

    def output_shapes(self, *shapes: Shape) -> list[Shape]:
        return [shapes[1]]

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        (grad, like, index), out = in_data, out_data[0]
        if self.axis is None:
            calls.take_grad(grad, index, out._view(0, (out.size,)), 0, self.mode, req[0])
            return
        index, axis = _pick_arguments(self, like, index)
        calls.pick_grad(grad._view(0, index.shape), index, out, axis, self.mode, req[0])

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        _, like, index = in_data
        back = F.pick(out_grad[0], index, self.axis, self.keepdims, self.mode)
        return [back, no_gradient(F, like), no_gradient(F, index)]


class BatchTake(StdOperator):
    """Take the element at `indices` of each row.

    Examples
    --------
    >>> from opforge import nd
    >>> nd.batch_take(nd.array([[1, 2], [3, 4]]), nd.array([1, 0])).asnumpy().tolist()
    [2.0, 3.0]
    """

    name = "batch_take"
    category = "selection"
    arguments = ("a", "indices")
    argument_dtypes = {"indices": ("any",)}
    saves = ("inputs",)

    def output_shapes(self, *shapes: Shape) -> list[Shape]:
        data, indices = shapes
        if len(data) != 2 or indices != data[:1]:
            raise shape_error(
                self.name, f"'a' has shape {data} and 'indices' {indices}; expected (n, k) and (n,)"
            )
        return [indices]

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Copy the elements."""
        calls.pick(in_data[0], in_data[1], out_data[0], 1, "clip", req[0])

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        a, indices = in_data
        return [F._backward_pick(out_grad[0], a, indices, 1), no_gradient(F, indices)]


class OneHot(StdOperator):
    """Return rows with `on_value` at `indices` and `off_value` elsewhere.

    Examples
    --------
    >>> from opforge import nd
    >>> nd.one_hot(nd.array([2, 0]), depth=3).asnumpy().tolist()
    [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]
    """

    name = "one_hot"
    output_dtypes = {"output": "dtype"}
    category = "selection"
    aliases = ("_one_hot",)
    arguments = ("indices",)
    saves = ()
    zero_gradient = True
    gradient = no_gradients
    depth = Attribute(int, ge=0, doc="Length of the rows.")
    on_value = Attribute(float, default=1.0, doc="Value at the index.")
    off_value = Attribute(float, default=0.0, doc="Value elsewhere.")
    dtype = Attribute(DType, default="float32", doc="Element type of the result.")

    def output_shapes(self, *shapes: Shape) -> list[Shape]:
        return [(*shapes[0], self.depth)]

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Write the rows."""
        calls.one_hot(in_data[0], out_data[0], self.on_value, self.off_value, req[0])


class FillElement(StdOperator):
    """Return `lhs` with one element of each row replaced: ``lhs[i, rhs[i]] = mhs[i]``.

    Examples
    --------
    >>> from opforge import nd
    >>> data = nd.zeros((2, 3))
    >>> nd.fill_element_0index(data, nd.array([7, 8]), nd.array([2, 0])).asnumpy().tolist()
    [[0.0, 0.0, 7.0], [8.0, 0.0, 0.0]]
    """

    name = "fill_element_0index"
    category = "selection"
    arguments: ClassVar[Sequence[str]] = ("lhs", "mhs", "rhs")
    argument_dtypes = {"rhs": ("any",)}
    differentiable = False

    def output_shapes(self, *shapes: Shape) -> list[Shape]:
        data, values, index = shapes
        if len(data) != 2 or values != data[:1] or index != data[:1]:
            raise shape_error(
                self.name,
                f"'lhs' has shape {data}, 'mhs' {values} and 'rhs' {index}; expected (rows, "
                "columns), (rows,) and (rows,)",
            )
        return [data]

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Copy and replace."""
        data, values, index = (numpy_alias(item) for item in in_data)
        columns, index = data.shape[1], index.astype(np.int64)
        if index.size and not (index.min() >= 0 and index.max() < columns):
            raise IndexRangeError(
                f"operator '{self.name}': 'rhs' contains {index.min()} to {index.max()}, expected "
                f"0 to {columns - 1}"
            )
        result = data.copy()
        result[np.arange(len(index)), index] = values
        store(out_data[0], result, req[0])
