"""Operators of positions, composed of the core's: where elements are, where rows are put."""

from math import prod, sqrt
from typing import Any

import numpy as np

from opforge.plugin_api import Attribute, OperatorProp, Shape, ShapeError
from opforge.plugin_api import F as nd

Dims = tuple[int, ...]


def _counted(F: Any, like: Any, count: int, repeat: int = 1) -> Any:
    """Return 0, 1, 2, ... in float64, each `repeat` times: `count` numbers, beside `like`."""
    values = -(-count // repeat)
    numbers = F.arange(values, repeat=repeat, dtype="float64", **_device(like))
    return F.slice_axis(numbers, axis=0, begin=0, end=count)


def _device(like: Any) -> dict[str, Any]:
    """Return where an array lies, as creating operators take it; symbols lie nowhere."""
    return {"ctx": like.context} if isinstance(like, nd.NDArray) else {}


def _axis_of(name: str, axis: int, shape: Dims) -> int:
    """Return an axis counted from the front."""
    if not -len(shape) <= axis < len(shape):
        raise ShapeError(
            f"operator '{name}': axis {axis} is out of range for data of shape {shape}, expected "
            f"{-len(shape)} to {len(shape) - 1}"
        )
    return axis % len(shape)


class ArangeLike(OperatorProp):
    """Count from `start` in steps of `step`, in the shape of `data` or along one of its axes.

    Examples
    --------
    >>> from opforge import nd
    >>> nd.contrib.arange_like(nd.zeros((2, 3)), axis=1).asnumpy().tolist()
    [0.0, 1.0, 2.0]
    """

    name = "_contrib_arange_like"
    category = "shape"
    differentiable = False
    argument_docs = {"data": "its shape and type are used"}
    start = Attribute(float, default=0.0, doc="The first number.")
    step = Attribute(float, default=1.0, doc="From one number to the next.")
    repeat = Attribute(int, default=1, ge=1, doc="How often each comes.")
    ctx = Attribute(str, default="", doc="Accepted for MXNet's sake: the result is beside `data`.")
    axis = Attribute(int, default=None, optional=True, doc="The axis that is counted; None: all.")

    def _shape(self, data: Dims) -> Dims:
        return data if self.axis is None else (data[_axis_of(self.name, self.axis, data)],)

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the shape of the data, or the length of the axis."""
        data = tuple(in_shape[0])
        return [data], [self._shape(data) if data else None], []

    def compose(self, F: Any, data: Any) -> Any:
        """Count."""
        shape = self._shape(tuple(data.shape))
        numbers = _counted(F, data, prod(shape), self.repeat) * self.step + self.start
        return F.cast(F.reshape(numbers, shape=shape), dtype=np.dtype(data.dtype).name)


class IndexArray(OperatorProp):
    """Return the position of each element of `data`: one number for each axis, on a last axis.

    Examples
    --------
    >>> from opforge import nd
    >>> nd.contrib.index_array(nd.zeros((2, 2)), axes=(1,)).asnumpy().tolist()
    [[[0], [1]], [[0], [1]]]
    """

    name = "_contrib_index_array"
    category = "shape"
    differentiable = False
    argument_docs = {"data": "its shape is used"}
    axes = Attribute(Shape, default=None, optional=True, doc="The axes, in this order; None: all.")

    def _axes(self, data: Dims) -> list[int]:
        given = range(len(data)) if self.axes is None else self.axes
        return [_axis_of(self.name, axis, data) for axis in given]

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the shape of the data and a last axis."""
        data = tuple(in_shape[0])
        return [data], [(*data, len(self._axes(data))) if data else None], []

    def infer_type(self, in_type: Any) -> Any:
        """Return int64."""
        return in_type, [np.int64], []

    def compose(self, F: Any, data: Any) -> Any:
        """Spread the positions along each axis over the others."""
        shape = tuple(data.shape)
        axes = self._axes(shape)
        if not axes:
            return F.zeros(shape=(*shape, 0), dtype="int64", **_device(data))
        along = []
        for axis in axes:
            ones = tuple(length if at == axis else 1 for at, length in enumerate(shape))
            places = F.cast(_counted(F, data, shape[axis]), dtype="int64")
            along.append(F.broadcast_to(F.reshape(places, shape=ones), shape=shape))
        return F.stack(*along, axis=-1)


class IndexCopy(OperatorProp):
    """Return `old_tensor` with the rows that `index_vector` names taken from `new_tensor`.

    Where a row is named twice, the last one counts.

    Examples
    --------
    >>> from opforge import nd
    >>> nd.contrib.index_copy(nd.zeros((3, 1)), nd.array([2]), nd.ones((1, 1))).asnumpy().tolist()
    [[0.0], [0.0], [1.0]]
    """

    name = "_contrib_index_copy"
    category = "shape"
    arguments = ("old_tensor", "index_vector", "new_tensor")
    argument_docs = {
        "old_tensor": "shape (n, ...)",
        "index_vector": "(k,), rows of the old one",
        "new_tensor": "shape (k, ...)",
    }

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the shape of the old one."""
        old, index, new = map(tuple, in_shape)
        if old and index and new and (len(index) != 1 or new != (*index, *old[1:])):
            raise ShapeError(
                f"operator '{self.name}': old_tensor has shape {old}, index_vector {index} and "
                f"new_tensor {new}; expected (n, ...), (k,) and (k, ...)"
            )
        return in_shape, [old or None], []

    def infer_type(self, in_type: Any) -> Any:
        """Return the type of the old one; indices may have any."""
        old, index, new = in_type
        return [old or new, index, new or old], [old or new], []

    def compose(self, F: Any, old_tensor: Any, index_vector: Any, new_tensor: Any) -> Any:
        """Find the last new row for each old one, counted from 1."""
        shapes = [tuple(item.shape) for item in (old_tensor, index_vector, new_tensor)]
        self.infer_shape(shapes)
        (rows, *_), (count,) = shapes[:2]
        if count and not rows:
            raise ShapeError(f"operator '{self.name}': old_tensor has no rows, expected some")
        if not prod(shapes[2]):
            return F.identity(old_tensor)
        numbers = _counted(F, index_vector, count) + 1
        last = F.scatter_nd(numbers, F.expand_dims(index_vector, axis=0), shape=(rows,))
        return F.where(last, F.take(new_tensor, last - 1), old_tensor)


class BooleanMask(OperatorProp):
    """Return the rows of `data` whose element of `index` is not 0; values tell how many.

    Examples
    --------
    >>> from opforge import nd
    >>> x = nd.array([[1, 2], [3, 4], [5, 6]])
    >>> nd.contrib.boolean_mask(x, nd.array([0, 1, 1])).asnumpy().tolist()
    [[3.0, 4.0], [5.0, 6.0]]
    """

    name = "_contrib_boolean_mask"
    category = "shape"
    shapes_from_values = True
    arguments = ("data", "index")
    argument_docs = {"data": "shape (n, ...)", "index": "(n,), which rows stay"}
    axis = Attribute(int, default=0, doc="The axis of the rows.")

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the shape of the data with 0 rows: values tell how many there are."""
        data, index = map(tuple, in_shape)
        if not data:
            return in_shape, [None], []
        axis = _axis_of(self.name, self.axis, data)
        if index and 0 not in (*index, data[axis]):
            self._expect_rows(data, index, axis)
        rows = (data[axis],) if data[axis] else index
        return [data, rows], [(*data[:axis], 0, *data[axis + 1 :])], []

    def infer_type(self, in_type: Any) -> Any:
        """Return the type of the data; the index may have any."""
        data, index = in_type
        return [data, index or data], [data], []

    def compose(self, F: Any, data: Any, index: Any) -> Any:
        """Take the rows at the positions that the index has."""
        axis = _axis_of(self.name, self.axis, data.shape)
        self._expect_rows(data.shape, index.shape, axis)
        positions = F.array(np.flatnonzero(index.asnumpy()), dtype="int64", **_device(data))
        return F.take(data, positions, axis=axis)

    def _expect_rows(self, data: Dims, index: Dims, axis: int) -> None:
        if index != (data[axis],):
            raise ShapeError(
                f"operator '{self.name}': index has shape {index}, expected ({data[axis]},), one "
                f"element for each row of data, which has shape {data} and its rows along axis "
                f"{axis}"
            )


class DivSqrtDim(OperatorProp):
    """Divide by the square root of the length of the last axis: what attention scales scores by."""

    name = "_contrib_div_sqrt_dim"
    category = "elementwise"
    attrs = {"FElementwiseShape": True}

    def compose(self, F: Any, data: Any) -> Any:
        """Divide."""
        return data / sqrt(max(data.shape[-1], 1))


OPERATORS = (ArangeLike, BooleanMask, IndexArray, IndexCopy, DivSqrtDim)
