"""Operators on storage types, for dense arrays; `ndarray.sparse` implements sparse ones."""

from typing import Any

import numpy as np

from ..base.errors import OpforgeError
from ..native import calls
from ..native.array import numpy_alias
from ..op.declaring.attribute import Attribute
from ._operator import StdOperator, store
from ._shapes import axis_index
from .reduce import Reduction

__all__: list[str] = []


class CastStorage(StdOperator):
    """Convert `data` to another storage type; in graphs, which are dense, return it unchanged.

    Examples
    --------
    >>> from opforge import nd
    >>> x = nd.cast_storage(nd.array([[0, 0], [1, 2]]), stype="row_sparse")
    >>> x.stype, x.indices.asnumpy().tolist()
    ('row_sparse', [1])
    """

    name = "cast_storage"
    category = "shape"
    saves = ()
    attrs = {"FInplaceOption": [(0, 0)], "FInplaceIdentity": True}
    stype = Attribute(str, choices=("default", "row_sparse", "csr"), doc="The storage type.")

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Copy."""
        calls.unary("identity", in_data[0], out_data[0], req[0])

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        return [out_grad[0]]


class SparseRetain(StdOperator):
    """Set the rows of a (usually row-sparse) array that are not in `indices` to zero.

    Examples
    --------
    >>> from opforge import nd
    >>> x = nd.array([[1, 1], [2, 2], [3, 3]]).tostype("row_sparse")
    >>> nd.sparse.retain(x, nd.array([0, 2])).asnumpy().tolist()
    [[1.0, 1.0], [0.0, 0.0], [3.0, 3.0]]
    """

    name = "_sparse_retain"
    category = "selection"
    arguments = ("data", "indices")
    argument_dtypes = {"indices": ("any",)}
    saves = ("inputs",)

    def output_shapes(self, *shapes: tuple[int, ...]) -> list[tuple[int, ...]]:
        return [shapes[0]]

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Copy the rows in `indices`, and write zeros elsewhere."""
        data, indices = map(numpy_alias, in_data)
        kept = np.zeros_like(data)
        rows = indices[(indices >= 0) & (indices < len(data))].astype(np.int64)
        kept[rows] = data[rows]
        store(out_data[0], kept, req[0])

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        return [F._sparse_retain(out_grad[0], in_data[1]), None]


class GetNNZ(StdOperator):
    """Count the stored values of a csr matrix, or of each of its columns or rows.

    Examples
    --------
    >>> from opforge import nd
    >>> matrix = nd.array([[0, 1, 0], [2, 0, 3]]).tostype("csr")
    >>> nd.contrib.getnnz(matrix).asscalar().item()
    3
    >>> nd.contrib.getnnz(matrix, axis=1).asnumpy().tolist()
    [1, 2]
    """

    name = "_contrib_getnnz"
    output_dtypes = {"output": "int64"}
    category = "reduction"
    differentiable = False
    axis = Attribute(
        int, default=None, doc="0: for each column; 1: for each row; None: for the matrix."
    )

    def output_shapes(self, *shapes: tuple[int, ...]) -> list[tuple[int, ...]]:
        if self.axis is None:
            return [(1,)]
        return [(shapes[0][1 - axis_index(self.name, self.axis, 2)],)]

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Reject dense arrays, as in MXNet."""
        raise OpforgeError(
            "operator '_contrib_getnnz': 'data' is not a csr matrix; convert it by x.tostype('csr')"
        )


class SquareSum(Reduction):
    """Sum of squares over axes."""

    name = "_square_sum"

    saves = ("inputs",)

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Square, then sum."""
        squares = np.square(numpy_alias(in_data[0]))
        sums = squares.sum(axis=self.axes_of(in_data[0].shape))
        store(out_data[0], sums.reshape(out_data[0].shape), req[0])

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        return [2 * in_data[0] * self.spread(F, out_grad[0], in_data[0])]
