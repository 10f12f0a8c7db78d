"""Operators on storage types; what they do with sparse arrays is a matter of `ndarray.sparse`."""

from typing import Any

import numpy as np

from ..base.errors import OpforgeError
from ..native import calls
from ..native.array import numpy_alias
from ..op.declaring.attribute import Attribute
from ._operator import StdOperator, store
from .reduce import Reduction

__all__: list[str] = []


class CastStorage(StdOperator):
    """Return `data` with another storage type; within graphs, where all is dense, `data` itself."""

    name = "cast_storage"
    saves = ()
    attrs = {"FInplaceOption": [(0, 0)], "FInplaceIdentity": True}
    stype = Attribute(str, choices=("default", "row_sparse", "csr"), doc="The storage type.")

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Copy."""
        calls.unary("identity", in_data[0], out_data[0], req[0])

    def gradient(self, F: Any, out_grad: Any, in_data: Any, out_data: Any) -> list[Any]:
        return [out_grad[0]]


class SparseRetain(StdOperator):
    """Return a row-sparse array without the rows that `indices` does not name."""

    name = "_sparse_retain"
    arguments = ("data", "indices")
    free_types = ("indices",)
    differentiable = False

    def compute(self, in_data: Any, out_data: Any, req: Any, is_train: int) -> None:
        """Refuse dense arrays, as MXNet does."""
        raise OpforgeError(
            "operator '_sparse_retain': data is default, expected row_sparse; "
            "x.tostype('row_sparse') makes one"
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
