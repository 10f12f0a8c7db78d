"""Sorting and top-k; also diagonals, computed by NumPy because they are not on a hot path."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..base.dtypes import code_of
from ..base.errors import ShapeError
from ..native import calls
from ..native.array import numpy_alias
from ..op.declaring.attribute import Attribute, DType
from ._operator import StdOperator, no_gradient, no_gradients, scratch, shape_error, store
from ._shapes import axis_index, last_position

__all__: list[str] = []

Shape = tuple[int, ...]

_AXIS = "Axis to sort along; None: the flattened array."
_ASCEND = "Whether to sort in ascending order."


class _Ordered(StdOperator):
    """Base of operators that depend on the order of the elements along `axis`."""

    category = "selection"
    axis: Any = -1
    is_ascend: Any = True
    saves: Sequence[str] = ("inputs",)

    def flat_shape(self, shape: Shape) -> Shape:
        """Return `shape`, flattened if `axis` is None."""
        if self.axis is None:
            return (int(np.prod(shape)),)
        axis_index(self.name, self.axis, len(shape))
        return shape

    def output_shapes(self, *shapes: Shape) -> list[Shape]:
        return [self.flat_shape(shapes[0])]

    def indices(self, data: Any, count: int) -> Any:
        """Return the indices of the first `count` elements in order, as a NumPy array."""
        shape = list(self.flat_shape(data.shape))
        shape[-1 if self.axis is None else self.axis] = count
        result = scratch(data, tuple(shape), code_of(np.int64))
        calls.order(data, self.axis, self.is_ascend, None, result)
        return numpy_alias(result)


class _Ordering(_Ordered):
    """Base with the attributes of most of these operators."""

    axis = Attribute(int, default=-1, optional=True, doc=_AXIS)
    is_ascend = Attribute(bool, default=True, doc=_ASCEND)


class Sort(_Ordering):
    """Sort the elements along an axis.

    Examples
    --------
    >>> from opforge import nd
    >>> nd.sort(nd.array([3, 1, 2])).asnumpy().tolist()
    [1.0, 2.0, 3.0]
    """

    name = "sort"
    outputs = ("output0",)

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Sort."""
        calls.order(in_data[0], self.axis, self.is_ascend, out_data[0], None, req[0])

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        return [F._backward_topk(out_grad[0], in_data[0], self.axis, self.is_ascend)]


class Argsort(_Ordering):
    """Return the indices that sort the elements.

    Examples
    --------
    >>> from opforge import nd
    >>> nd.argsort(nd.array([3, 1, 2])).asnumpy().tolist()
    [1.0, 2.0, 0.0]
    """

    name = "argsort"
    output_dtypes = {"output": "dtype"}
    saves = ()
    gradient = no_gradients
    dtype = Attribute(DType, default="float32", doc="Element type of the result.")

    def highest_position(self, in_shapes: list[Shape]) -> list[int]:
        """Return the last index along the axis."""
        return [last_position(in_shapes[0], self.axis)]

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Sort."""
        calls.order(in_data[0], self.axis, self.is_ascend, None, out_data[0], places_req=req[0])


class TopK(_Ordered):
    """Return the `k` largest or smallest elements along an axis, their indices, or a mask.

    Examples
    --------
    >>> from opforge import nd
    >>> x = nd.array([[3, 1, 2]])
    >>> nd.topk(x, k=2).asnumpy().tolist()
    [[0.0, 2.0]]
    >>> nd.topk(x, k=2, ret_typ="value").asnumpy().tolist()
    [[3.0, 2.0]]
    """

    name = "topk"
    output_dtypes: Mapping[str, str] = {"output": "dtype", "output1": "dtype"}
    axis = Attribute(int, default=-1, optional=True, doc=_AXIS)
    k = Attribute(int, default=1, doc="Number of elements; all if less than 1.")
    ret_typ = Attribute(
        str, default="indices", choices=("value", "indices", "mask", "both"), doc="What to return."
    )
    is_ascend = Attribute(bool, default=False, doc="Whether to return the smallest elements.")
    dtype = Attribute(DType, default="float32", doc="Element type of indices.")

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        if self.ret_typ in ("value", "mask"):
            self.output_dtypes = {}

    def list_outputs(self) -> list[str]:
        return ["output0", "output1"] if self.ret_typ == "both" else ["output"]

    def output_shapes(self, *shapes: Shape) -> list[Shape]:
        shape = list(self.flat_shape(shapes[0]))
        axis = -1 if self.axis is None else self.axis
        if self.k > shape[axis]:
            raise ShapeError(
                f"operator '{self.name}': k is {self.k}, expected at most {shape[axis]}, the "
                f"length of axis {self.axis} of 'data' with shape {shapes[0]}"
            )
        if self.ret_typ == "mask":
            return [shapes[0]]
        shape[axis] = self.k if self.k > 0 else shape[axis]
        return [tuple(shape)] * len(self.list_outputs())

    def highest_position(self, in_shapes: list[Shape]) -> list[int | None]:
        """Return the last index along the axis for the output with indices."""
        last = last_position(in_shapes[0], self.axis)
        kinds: dict[str, list[int | None]] = {"indices": [last], "both": [None, last]}
        return kinds.get(self.ret_typ, [None])

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Select."""
        x = in_data[0]
        if self.ret_typ == "mask":
            mask = np.zeros(self.flat_shape(x.shape), x.dtype)
            axis = -1 if self.axis is None else self.axis
            count = self.k if self.k > 0 else mask.shape[axis]
            np.put_along_axis(mask, self.indices(x, count), 1, axis)
            store(out_data[0], mask, req[0])
            return
        wanted = ("value", "indices") if self.ret_typ == "both" else (self.ret_typ,)
        outs = dict(zip(wanted, zip(out_data, req, strict=True), strict=True))
        values, values_req = outs.get("value", (None, "null"))
        indices, indices_req = outs.get("indices", (None, "null"))
        calls.order(x, self.axis, self.is_ascend, values, indices, values_req, indices_req)

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        if self.ret_typ in ("indices", "mask"):
            return [F.zeros_like(in_data[0])]
        return [F._backward_topk(out_grad[0], in_data[0], self.axis, self.is_ascend)]


class BackwardTopK(_Ordering):
    """Scatter gradients of sorted elements to their original positions in `data`."""

    name = "_backward_topk"
    arguments = ("ograd", "data")

    def output_shapes(self, *shapes: Shape) -> list[Shape]:
        return [shapes[1]]

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Scatter."""
        grad, data = numpy_alias(in_data[0]), in_data[1]
        axis = -1 if self.axis is None else self.axis
        result = np.zeros(self.flat_shape(data.shape), data.dtype)
        np.put_along_axis(result, self.indices(data, grad.shape[axis]), grad, axis)
        store(out_data[0], result, req[0])

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        ograd, data = in_data
        back = F._in_order(out_grad[0], data, ograd, self.axis, self.is_ascend)
        return [back, no_gradient(F, data)]


class InOrder(_Ordering):
    """Return entries of `data` in the order of `key`, up to the length of `like`."""

    name = "_in_order"
    arguments = ("data", "key", "like")

    def output_shapes(self, *shapes: Shape) -> list[Shape]:
        return [shapes[2]]

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Gather."""
        data, key, like = in_data
        axis = -1 if self.axis is None else self.axis
        values = numpy_alias(data).reshape(self.flat_shape(data.shape))
        indices = self.indices(key, like.shape[axis])
        store(out_data[0], np.take_along_axis(values, indices, axis), req[0])

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        _, key, like = in_data
        grad = F._backward_topk(out_grad[0], key, self.axis, self.is_ascend)
        return [grad, no_gradient(F, key), no_gradient(F, like)]


class Diag(StdOperator):
    """Return a diagonal of `data`, or a matrix with a one-dimensional `data` on its diagonal.

    Examples
    --------
    >>> from opforge import nd
    >>> nd.diag(nd.array([[1, 2], [3, 4]])).asnumpy().tolist()
    [1.0, 4.0]
    >>> nd.diag(nd.array([1, 2])).asnumpy().tolist()
    [[1.0, 0.0], [0.0, 2.0]]
    """

    name = "diag"
    category = "shape"
    saves = ("inputs",)
    k = Attribute(int, default=0, doc="Index of the diagonal; positive: above the main diagonal.")
    axis1 = Attribute(int, default=0, doc="First axis of the matrices.")
    axis2 = Attribute(int, default=1, doc="Second axis of the matrices.")

    def _values(self, array: Any) -> Any:
        if array.ndim == 0:
            raise shape_error(self.name, "'data' has no axes, expected at least one")
        if array.ndim == 1:
            return np.diag(array, self.k)
        return np.diagonal(array, self.k, self.axis1, self.axis2)

    def output_shapes(self, *shapes: Shape) -> list[Shape]:
        data = shapes[0]
        if not data:
            return [()]
        if len(data) > 1:
            for axis in (self.axis1, self.axis2):
                axis_index(self.name, axis, len(data))
        else:
            return [(data[0] + abs(self.k),) * 2]
        rows, columns = data[self.axis1], data[self.axis2]
        if not -rows <= self.k <= columns:
            raise shape_error(
                self.name,
                f"k is {self.k}, expected {-rows} to {columns} for matrices of {rows} rows and "
                f"{columns} columns",
            )
        # A view of a single element has the shape of the result.
        return [np.diagonal(np.broadcast_to(0, data), self.k, self.axis1, self.axis2).shape]

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Copy the diagonal."""
        store(out_data[0], self._values(numpy_alias(in_data[0])), req[0])

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        return [F._backward_diag(out_grad[0], in_data[0], self.k, self.axis1, self.axis2)]


class BackwardDiag(Diag):
    """Return zeros like `like` with `ograd` on the diagonal."""

    name = "_backward_diag"
    arguments = ("ograd", "like")

    def output_shapes(self, *shapes: Shape) -> list[Shape]:
        return [shapes[1]]

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        grad, like = numpy_alias(in_data[0]), in_data[1]
        if like.ndim == 1:
            store(out_data[0], np.diagonal(grad, self.k), req[0])
            return
        result = np.zeros(like.shape, grad.dtype)
        # The two axes are moved to the end.
        matrices = np.moveaxis(result, (self.axis1, self.axis2), (-2, -1))
        steps = np.arange(grad.shape[-1])
        matrices[..., steps - min(self.k, 0), steps + max(self.k, 0)] = grad
        store(out_data[0], result, req[0])

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        like = in_data[1]
        back = F.diag(out_grad[0], self.k, self.axis1, self.axis2)
        return [back, no_gradient(F, like)]
