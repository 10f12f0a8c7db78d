"""`RowSparseNDArray`: an array that stores some of its rows."""

from typing import Any, ClassVar

import numpy as np

from ...base.context import Context
from ...base.dtypes import code_of
from ...base.errors import ShapeError
from ...native import calls
from ...native.array import empty, from_numpy, numpy_alias, zeros
from .._operators import operators
from .base import BaseSparseNDArray
from .validation import check_row_sparse, row_indices

__all__ = ["RowSparseNDArray"]

_INT64 = code_of("int64")


class RowSparseNDArray(BaseSparseNDArray):
    """An array that stores the slices along its first axis with the given `indices`.

    ``x[indices[i]]`` is ``data[i]``, and all other slices are zero. Gradients of large embedding
    tables have this type.

    Examples
    --------
    >>> from opforge import nd
    >>> x = nd.sparse.row_sparse_array(([[1, 2]], [1]), shape=(3, 2))
    >>> x
    <BLANKLINE>
    <RowSparseNDArray 3x2 @cpu(0)>
    >>> x.asnumpy().tolist()
    [[0.0, 0.0], [1.0, 2.0], [0.0, 0.0]]
    """

    __slots__ = ()

    stype: ClassVar[str] = "row_sparse"

    def _parts(self) -> tuple[Any, ...]:
        return self._values, self._indices

    @classmethod
    def _of_parts(cls, shape: tuple[int, ...], *parts: Any) -> Any:
        data, indices = parts
        return cls(data, indices, shape)

    def _take_parts(self, other: Any) -> None:
        self._values, self._indices = other._parts()

    @classmethod
    def _zeros(cls, shape: tuple[int, ...], dtype: Any, ctx: Context | None) -> Any:
        data = zeros((0, *shape[1:]), code_of(dtype), ctx)
        return cls(data, zeros((0,), _INT64, ctx), shape)

    @classmethod
    def _from_dense(cls, dense: Any) -> Any:
        if dense.ndim == 0:
            raise ShapeError("To convert to row_sparse, the NDArray needs at least one axis")
        numbers = numpy_alias(dense)
        rows = np.flatnonzero(numbers.any(axis=tuple(range(1, dense.ndim))))
        data = from_numpy(numbers[rows], dense.dtype_code, dense.context)
        return cls(data, from_numpy(rows, _INT64, dense.context), dense.shape)

    def _dense(self) -> Any:
        if self.has_all_rows():
            return self.data.copy()
        result = empty(self.shape, self.dtype_code, self.context)
        calls.take_grad(self.data, self.indices, result)  # repeated rows are summed
        return result

    def has_all_rows(self) -> bool:
        """Return whether every row is stored, in order, so that the values are the dense array."""
        rows, count = row_indices(self), self.shape[0]
        return len(rows) == count and bool((rows == np.arange(count)).all())

    def all_rows(self) -> Any:
        """Store every row, in order, and return the values, a dense array in the same memory."""
        if not self.has_all_rows():
            count = self.shape[0]
            dense = self._dense()
            self._values = dense
            self._indices = from_numpy(np.arange(count), _INT64, dense.context)
        return self._values

    def check_format(self, full_check: bool = True) -> None:
        """Raise an error if the parts are inconsistent; see `BaseSparseNDArray.check_format`."""
        check_row_sparse(self, full_check)

    def __getitem__(self, key: Any) -> Any:
        """Return the array itself for ``x[:]``, the only supported key."""
        if isinstance(key, slice) and key == slice(None):
            return self
        raise ValueError(
            f"RowSparseNDArray: x[:] is the only index, got {key!r:.60}; retain(indices) keeps rows"
        )

    def retain(self, indices: Any) -> Any:
        """Return the array with only those rows that are listed in `indices`, an NDArray.

        Examples
        --------
        >>> from opforge import nd
        >>> nd.ones((3, 1)).tostype("row_sparse").retain(nd.array([2])).indices.asnumpy().tolist()
        [2]
        """
        return operators()._sparse_retain(self, indices)
