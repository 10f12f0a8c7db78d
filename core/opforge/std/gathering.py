"""Gather and scatter operators with indices along several axes."""

from typing import Any

from ..base.errors import ShapeError
from ..native import calls
from ..op.declaring.attribute import Attribute
from ..op.declaring.attribute import Shape as Ints
from ._operator import StdOperator, no_gradient, shape_error

__all__: list[str] = []

Shape = tuple[int, ...]


class GatherNd(StdOperator):
    """Gather the entries of `data` at the positions in the columns of `indices`.

    Examples
    --------
    >>> from opforge import nd
    >>> data = nd.array([[1, 2], [3, 4]])
    >>> indices = nd.array([[0, 1], [1, 0]])  # (0, 1) and (1, 0)
    >>> nd.gather_nd(data, indices).asnumpy().tolist()
    [2.0, 3.0]
    """

    name = "gather_nd"
    category = "selection"
    arguments = ("data", "indices")
    argument_dtypes = {"indices": ("any",)}
    saves = ("inputs",)

    def output_shapes(self, *shapes: Shape) -> list[Shape]:
        data, indices = shapes
        return [_gathered_shape(self.name, data, indices)]

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Copy the entries."""
        data, indices = in_data
        out = out_data[0]._view(0, indices.shape[1:] + data.shape[indices.shape[0] :])
        calls.gather_nd(data, indices, out, req[0])

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        data, indices = in_data
        grad = F._backward_gather_nd(out_grad[0], data, indices)
        return [grad, no_gradient(F, indices)]


def _gathered_shape(operator: str, data: Shape, indices: Shape) -> Shape:
    if not indices or indices[0] > len(data):
        raise shape_error(
            operator,
            f"'indices' has shape {indices}; the length of its first axis must be from 1 to "
            f"{len(data)}, one row for each indexed axis of 'data' of shape {data}",
        )
    return (indices[1:] + data[indices[0] :]) or (1,)


class BackwardGatherNd(StdOperator):
    """Add the entries of `ograd` at the positions in `indices` to zeros like `like`."""

    name = "_backward_gather_nd"
    arguments = ("ograd", "like", "indices")
    argument_dtypes = {"indices": ("any",)}
    saves = ("inputs",)

    def output_shapes(self, *shapes: Shape) -> list[Shape]:
        return [shapes[1]]

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Scatter and add."""
        grad, like, indices = in_data
        part = grad._view(0, indices.shape[1:] + like.shape[indices.shape[0] :])
        calls.scatter_nd(part, indices, out_data[0], req[0])

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        _, like, indices = in_data
        back = F.gather_nd(out_grad[0], indices)
        return [back, no_gradient(F, like), no_gradient(F, indices)]


class ScatterNd(StdOperator):
    """Write the entries of `data` at the positions in `indices` to zeros of shape `shape`.

    Examples
    --------
    >>> from opforge import nd
    >>> indices = nd.array([[0, 1], [1, 0]])  # (0, 1) and (1, 0)
    >>> nd.scatter_nd(nd.array([2, 3]), indices, shape=(2, 2)).asnumpy().tolist()
    [[0.0, 2.0], [3.0, 0.0]]
    """

    name = "scatter_nd"
    category = "selection"
    arguments = ("data", "indices")
    argument_dtypes = {"indices": ("any",)}
    saves = ("indices",)
    shape = Attribute(Ints, doc="Shape of the result.")

    def output_shapes(self, *shapes: Shape) -> list[Shape]:
        data, indices = shapes
        expected = _gathered_shape(self.name, self.shape, indices)
        if data != expected:
            raise ShapeError(
                f"operator '{self.name}': 'data' has shape {data}, expected {expected} for indices "
                f"of shape {indices} into {self.shape}"
            )
        return [self.shape]

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Write the entries."""
        data, indices = in_data
        part = data._view(0, indices.shape[1:] + self.shape[indices.shape[0] :])
        calls.scatter_nd(part, indices, out_data[0], req[0], accumulate=False)

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        indices = in_data[1]
        return [F.gather_nd(out_grad[0], indices), no_gradient(F, indices)]
