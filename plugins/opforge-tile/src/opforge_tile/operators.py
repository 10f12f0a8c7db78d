"""Operators `tile`, which copies whole arrays, and `repeat`, which copies elements."""

from typing import Any

from opforge.plugin_api import Attribute, OperatorProp, Shape, ShapeError, kernels


class Tile(OperatorProp):
    """Repeat the array `reps` times along each axis, as `numpy.tile` does.

    Examples
    --------
    >>> from opforge import nd
    >>> nd.tile(nd.array([1, 2]), reps=(2, 2)).asnumpy().tolist()
    [[1.0, 2.0, 1.0, 2.0], [1.0, 2.0, 1.0, 2.0]]
    """

    name = "tile"
    category = "shape"
    reps = Attribute(
        Shape, doc="Copies along each axis; the shorter of reps and shape is padded with ones."
    )
    saves = ("inputs",)
    argument_docs = {"data": "any shape and dtype"}

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        if any(count < 0 for count in self.reps):
            raise ShapeError(f"operator 'tile': reps must not be negative, got {self.reps}")

    def _pad_with_ones(self, shape: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return shape and reps, left-padded with ones to the same length."""
        ndim = max(len(shape), len(self.reps))
        return (1,) * (ndim - len(shape)) + tuple(shape), (1,) * (ndim - len(self.reps)) + tuple(
            self.reps
        )

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the elementwise product of shape and reps."""
        shape, reps = self._pad_with_ones(in_shape[0])
        return in_shape, [tuple(d * r for d, r in zip(shape, reps, strict=True))], []

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Run the copy kernel."""
        kernels.tile(in_data[0], out_data[0], self.reps, req=req[0])

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        """Return the sum over the copies."""
        (dy,), (data,) = out_grad, in_data
        shape, reps = self._pad_with_ones(data.shape)
        if dy.size == 0 or data.size == 0:
            return [F.zeros_like(data)]
        split = [n for pair in zip(reps, shape, strict=True) for n in pair]
        copies = tuple(axis for axis in range(0, len(split), 2) if split[axis] != 1)
        total = dy.reshape(tuple(split))
        if copies:
            total = F.sum(total, axis=copies)
        return [total.reshape(data.shape)]


class Repeat(OperatorProp):
    """Repeat each element `repeats` times along `axis`, as `numpy.repeat` does.

    Examples
    --------
    >>> from opforge import nd
    >>> nd.repeat(nd.array([1, 2]), repeats=2).asnumpy().tolist()
    [1.0, 1.0, 2.0, 2.0]
    """

    name = "repeat"
    category = "shape"
    repeats = Attribute(int, ge=0, doc="Number of copies of each element.")
    axis = Attribute(
        int, default=None, optional=True, doc="Axis of the copies; None flattens data first."
    )
    saves = ("inputs",)
    argument_docs = {"data": "any shape and dtype"}

    def _split_axis(self, shape: Any) -> tuple[tuple[int, ...], int]:
        """Return the shape, flattened if `axis` is None, and the non-negative axis."""
        if self.axis is None:
            size = 1
            for dim in shape:
                size *= dim
            return (size,), 0
        if not -len(shape) <= self.axis < len(shape):
            raise ShapeError(
                f"operator 'repeat': axis {self.axis} is out of range for data of shape "
                f"{tuple(shape)}; expected -{len(shape)} to {len(shape) - 1}"
            )
        return tuple(shape), self.axis % len(shape)

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the shape with the size of `axis` multiplied by `repeats`."""
        shape, axis = self._split_axis(in_shape[0])
        return in_shape, [(*shape[:axis], shape[axis] * self.repeats, *shape[axis + 1 :])], []

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Run the copy kernel."""
        shape, axis = self._split_axis(in_data[0].shape)
        kernels.repeat(in_data[0]._view(0, shape), out_data[0], self.repeats, axis, req=req[0])

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        """Return the sum over the copies of each element."""
        (dy,), (data,) = out_grad, in_data
        if dy.size == 0:
            return [F.zeros_like(data)]
        shape, axis = self._split_axis(data.shape)
        split = (*shape[: axis + 1], self.repeats, *shape[axis + 1 :])
        total = F.sum(dy.reshape(split), axis=axis + 1)
        return [total.reshape(data.shape)]
