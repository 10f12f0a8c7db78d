"""Operators that read or write elements by index."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from ..base.errors import IndexRangeError
from ..native import calls
from ..native.array import numpy_alias
from ..op.declaring.attribute import Attribute, DType
from ..op.declaring.inference import united
from ._operator import StdOperator, no_gradient, shape_error, store
from ._shapes import axis_index, reduced_shape

__all__: list[str] = []

Shape = tuple[int, ...]

_MODE = "What an index out of bounds means: the nearest, modulo, or an error."


class Take(StdOperator):
    """Copy the entries of `a` along an axis that `indices` name."""

    name = "take"
    category = "selection"
    arguments = ("a", "indices")
    free_types = ("indices",)
    saves = ("inputs",)
    axis = Attribute(int, default=0, doc="The axis.")
    mode = Attribute(str, default="clip", choices=("clip", "wrap", "raise"), doc=_MODE)

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.compute = calls.Take(self.axis, self.mode)

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


class BackwardTake(StdOperator):
    """Add the rows of `ograd` to zeros of the shape of `like`, where `indices` say."""

    name = "_backward_take"
    arguments = ("ograd", "like", "indices")
    free_types = ("indices",)
    saves = ("inputs",)
    axis = Attribute(int, default=0, doc="The axis.")
    mode = Attribute(str, default="clip", choices=("clip", "wrap", "raise"), doc=_MODE)

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.compute = calls.TakeGrad(self.axis, self.mode)

    def output_shapes(self, *shapes: Shape) -> list[Shape]:
        return [shapes[1]]

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        _, like, indices = in_data
        back = F.take(out_grad[0], indices, self.axis, self.mode)
        return [back, no_gradient(F, like), no_gradient(F, indices)]


class Pick(StdOperator):
    """Copy one element along an axis for each position: the one that `index` names."""

    name = "pick"
    category = "selection"
    aliases: ClassVar[Sequence[str]] = ("choose_element_0index",)
    arguments: ClassVar[Sequence[str]] = ("data", "index")
    free_types = ("index",)
    saves = ("inputs",)
    axis = Attribute(int, default=-1, optional=True, doc="The axis; None: the flattened array.")
    keepdims = Attribute(bool, default=False, doc="Leave the axis with length 1.")
    mode = Attribute(str, default="clip", choices=("clip", "wrap"), doc=_MODE)

    def complete(self, shapes: list[Shape]) -> list[Shape]:
        """Give `index` the shape of `data` without the axis, or with length 1 there."""
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
        if self.axis is None:
            calls.take(data._view(0, (data.size,)), index, out_data[0], 0, self.mode, req[0])
            return
        index, axis = _pick_places(self, data, index)
        calls.pick(data, index, out_data[0]._view(0, index.shape), axis, self.mode, req[0])

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        data, index = in_data
        grad = F._backward_pick(out_grad[0], data, index, self.axis, self.keepdims, self.mode)
        return [grad, no_gradient(F, index)]


def _pick_places(prop: Any, data: Any, index: Any) -> tuple[Any, int]:
    """Return `index` as the kernel wants it, without the axis, and the axis."""
    axis = axis_index(prop.name, prop.axis, data.ndim)
    return index._view(0, data.shape[:axis] + data.shape[axis + 1 :]), axis


class BackwardPick(Pick):
    """Put `ograd` where `index` says into zeros of the shape of `like`."""

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
        index, axis = _pick_places(self, like, index)
        calls.pick_grad(grad._view(0, index.shape), index, out, axis, self.mode, req[0])

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        _, like, index = in_data
        back = F.pick(out_grad[0], index, self.axis, self.keepdims, self.mode)
        return [back, no_gradient(F, like), no_gradient(F, index)]


class BatchTake(StdOperator):
    """Copy one element of each row: the one that `indices` names."""

    name = "batch_take"
    category = "selection"
    arguments = ("a", "indices")
    free_types = ("indices",)
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
    """Return rows that hold `on_value` where `indices` say and `off_value` elsewhere."""

    name = "one_hot"
    category = "selection"
    aliases = ("_one_hot",)
    arguments = ("indices",)
    differentiable = False
    depth = Attribute(int, ge=0, doc="Length of the rows.")
    on_value = Attribute(float, default=1.0, doc="Value at the index.")
    off_value = Attribute(float, default=0.0, doc="Value elsewhere.")
    dtype = Attribute(DType, default="float32", doc="Element type of the result.")

    def output_shapes(self, *shapes: Shape) -> list[Shape]:
        return [(*shapes[0], self.depth)]

    def output_types(self, common: Any, types: list[Any]) -> list[Any]:
        return [self.dtype]

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Write the rows."""
        calls.one_hot(in_data[0], out_data[0], self.on_value, self.off_value, req[0])


class FillElement(StdOperator):
    """Return `lhs` with one element of each row replaced: ``lhs[i, rhs[i]] = mhs[i]``."""

    name = "fill_element_0index"
    category = "selection"
    arguments: ClassVar[Sequence[str]] = ("lhs", "mhs", "rhs")
    free_types = ("rhs",)
    differentiable = False

    def output_shapes(self, *shapes: Shape) -> list[Shape]:
        whole, values, index = shapes
        if len(whole) != 2 or values != whole[:1] or index != whole[:1]:
            raise shape_error(
                self.name,
                f"'lhs' has shape {whole}, 'mhs' {values} and 'rhs' {index}; expected (rows, "
                "columns), (rows,) and (rows,)",
            )
        return [whole]

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Copy and replace."""
        whole, values, index = (numpy_alias(item) for item in in_data)
        columns, at = whole.shape[1], index.astype(np.int64)
        if at.size and not (at.min() >= 0 and at.max() < columns):
            raise IndexRangeError(
                f"operator '{self.name}': 'rhs' holds {at.min()} to {at.max()}, expected 0 to "
                f"{columns - 1}"
            )
        result = whole.copy()
        result[np.arange(len(at)), at] = values
        store(out_data[0], result, req[0])
