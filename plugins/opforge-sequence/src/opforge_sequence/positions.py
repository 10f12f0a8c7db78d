"""Operators on positions and rows, composed of operators of the core."""

from math import prod, sqrt
from typing import Any

import numpy as np

from opforge.plugin_api import Attribute, OperatorProp, Shape, ShapeError
from opforge.plugin_api import F as nd

Dims = tuple[int, ...]


def _arange(F: Any, like: Any, count: int, repeat: int = 1) -> Any:
    """Return `count` numbers 0, 1, 2, ... in float64, each `repeat` times, on `like`'s device."""
    stop = -(-count // repeat)
    numbers = F.arange(stop, repeat=repeat, dtype="float64", **_device(like))
    return F.slice_axis(numbers, axis=0, begin=0, end=count)


def _device(like: Any) -> dict[str, Any]:
    """Return the context of an array as an argument of operators; symbols have none."""
    return {"ctx": like.context} if isinstance(like, nd.NDArray) else {}


def _axis_of(name: str, axis: int, shape: Dims) -> int:
    """Return the non-negative axis, or raise if it is out of range."""
    if not -len(shape) <= axis < len(shape):
        raise ShapeError(
            f"operator '{name}': axis {axis} is out of range for data of shape {shape}; expected "
            f"{-len(shape)} to {len(shape) - 1}"
        )
    return axis % len(shape)


class ArangeLike(OperatorProp):
    """Return `start`, `start + step`, ... in the shape of `data` or of one of its axes.

    Examples
    --------
    >>> from opforge import nd
    >>> nd.contrib.arange_like(nd.zeros((2, 3)), axis=1).asnumpy().tolist()
    [0.0, 1.0, 2.0]
    """

    name = "_contrib_arange_like"
    category = "shape"
    differentiable = False
    argument_docs = {"data": "only its shape and type are used"}
    start = Attribute(float, default=0.0, doc="First number.")
    step = Attribute(float, default=1.0, doc="Difference of consecutive numbers.")
    repeat = Attribute(int, default=1, ge=1, doc="Number of repetitions of each number.")
    ctx = Attribute(
        str,
        default="",
        doc="Accepted as in MXNet and ignored; the result is on the device of `data`.",
    )
    axis = Attribute(
        int, default=None, optional=True, doc="Axis whose length is used; None uses all axes."
    )

    def _shape(self, data: Dims) -> Dims:
        return data if self.axis is None else (data[_axis_of(self.name, self.axis, data)],)

    def infer_shape(self, in_shape: Any) -> Any:
        """Return data's shape, or the length of `axis`."""
        data = tuple(in_shape[0])
        return [data], [self._shape(data) if data else None], []

    def compose(self, F: Any, data: Any) -> Any:
        """Return the numbers in data's type."""
        shape = self._shape(tuple(data.shape))
        numbers = _arange(F, data, prod(shape), self.repeat) * self.step + self.start
        return F.cast(F.reshape(numbers, shape=shape), dtype=np.dtype(data.dtype).name)


class IndexArray(OperatorProp):
    """Return the indices of each element of `data`, stacked along a new last axis.

    Examples
    --------
    >>> from opforge import nd
    >>> nd.contrib.index_array(nd.zeros((2, 2)), axes=(1,)).asnumpy().tolist()
    [[[0], [1]], [[0], [1]]]
    """

    name = "_contrib_index_array"
    output_dtypes = {"output": "int64"}
    category = "shape"
    differentiable = False
    argument_docs = {"data": "only its shape is used"}
    axes = Attribute(
        Shape,
        default=None,
        optional=True,
        doc="Axes whose indices to return, in this order; None: all.",
    )

    def _axes(self, data: Dims) -> list[int]:
        axes = range(len(data)) if self.axes is None else self.axes
        return [_axis_of(self.name, axis, data) for axis in axes]

    def infer_shape(self, in_shape: Any) -> Any:
        """Return data's shape with a new last axis."""
        data = tuple(in_shape[0])
        return [data], [(*data, len(self._axes(data))) if data else None], []

    def compose(self, F: Any, data: Any) -> Any:
        """Broadcast the indices along each axis to data's shape."""
        shape = tuple(data.shape)
        axes = self._axes(shape)
        if not axes or not prod(shape):
            return F.zeros(shape=(*shape, len(axes)), dtype="int64", **_device(data))
        along = []
        for axis in axes:
            ones = tuple(length if i == axis else 1 for i, length in enumerate(shape))
            indices = F.cast(_arange(F, data, shape[axis]), dtype="int64")
            along.append(F.broadcast_to(F.reshape(indices, shape=ones), shape=shape))
        return F.stack(*along, axis=-1)


class IndexCopy(OperatorProp):
    """Return `old_tensor` with the rows at `index_vector` replaced by those of `new_tensor`.

    If an index occurs more than once, its last row wins.

    Examples
    --------
    >>> from opforge import nd
    >>> nd.contrib.index_copy(nd.zeros((3, 1)), nd.array([2]), nd.ones((1, 1))).asnumpy().tolist()
    [[0.0], [0.0], [1.0]]
    """

    name = "_contrib_index_copy"
    category = "shape"
    arguments = ("old_tensor", "index_vector", "new_tensor")
    argument_dtypes = {"index_vector": ("any",)}
    argument_docs = {
        "old_tensor": "shape (n, ...)",
        "index_vector": "(k,), indices of rows of old_tensor",
        "new_tensor": "shape (k, ...)",
    }

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the shape of `old_tensor`."""
        old, index, new = map(tuple, in_shape)
        if old and index and new and (len(index) != 1 or new != (*index, *old[1:])):
            raise ShapeError(
                f"operator '{self.name}': old_tensor has shape {old}, index_vector {index} and "
                f"new_tensor {new}; expected (n, ...), (k,) and (k, ...)"
            )
        return in_shape, [old or None], []

    def infer_type(self, in_type: Any) -> Any:
        """Return the type of `old_tensor`; indices may have any type."""
        old, index, new = in_type
        return [old or new, index, new or old], [old or new], []

    def compose(self, F: Any, old_tensor: Any, index_vector: Any, new_tensor: Any) -> Any:
        """Select new rows by a table of the last new row, counted from 1, for each old one."""
        shapes = [tuple(item.shape) for item in (old_tensor, index_vector, new_tensor)]
        self.infer_shape(shapes)
        (rows, *_), (count,) = shapes[:2]
        if count and not rows:
            raise ShapeError(
                f"operator '{self.name}': old_tensor has no rows; expected at least one"
            )
        if not prod(shapes[2]):
            return F.identity(old_tensor)
        numbers = _arange(F, index_vector, count) + 1
        last = F.scatter_nd(numbers, F.expand_dims(index_vector, axis=0), shape=(rows,))
        return F.where(last, F.take(new_tensor, last - 1), old_tensor)


class BooleanMask(OperatorProp):
    """Return the rows of `data` whose element in `index` is not 0.

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
    argument_dtypes = {"index": ("any",)}
    argument_docs = {"data": "shape (n, ...)", "index": "(n,), nonzero for the rows to keep"}
    axis = Attribute(int, default=0, doc="Axis of the rows.")

    def infer_shape(self, in_shape: Any) -> Any:
        """Return data's shape with 0 rows; the actual number depends on the values of `index`."""
        data, index = map(tuple, in_shape)
        if not data:
            return in_shape, [None], []
        axis = _axis_of(self.name, self.axis, data)
        if index and 0 not in (*index, data[axis]):
            self._expect_rows(data, index, axis)
        rows = (data[axis],) if data[axis] else index
        return [data, rows], [(*data[:axis], 0, *data[axis + 1 :])], []

    def compose(self, F: Any, data: Any, index: Any) -> Any:
        """Return the rows at the nonzero positions of `index`."""
        axis = _axis_of(self.name, self.axis, data.shape)
        self._expect_rows(data.shape, index.shape, axis)
        positions = F.array(np.flatnonzero(index.asnumpy()), dtype="int64", **_device(data))
        return F.take(data, positions, axis=axis)

    def _expect_rows(self, data: Dims, index: Dims, axis: int) -> None:
        if index != (data[axis],):
            raise ShapeError(
                f"operator '{self.name}': index has shape {index}; expected ({data[axis]},), one "
                f"element for each row of data, which has shape {data} and rows along axis {axis}"
            )


class DivSqrtDim(OperatorProp):
    """Divide `data` by the square root of the length of its last axis, as in scaled attention.

    Examples
    --------
    >>> from opforge import nd
    >>> nd.contrib.div_sqrt_dim(nd.array([[2, 4, 6, 8]])).asnumpy().tolist()
    [[1.0, 2.0, 3.0, 4.0]]
    """

    name = "_contrib_div_sqrt_dim"
    dtypes = ("floating", "integer")
    category = "elementwise"
    attrs = {"FElementwiseShape": True}

    def compose(self, F: Any, data: Any) -> Any:
        """Return the scaled data."""
        return data / sqrt(max(data.shape[-1], 1))
