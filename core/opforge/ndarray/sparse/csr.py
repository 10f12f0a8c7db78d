"""`CSRNDArray`: a matrix in compressed sparse row format."""

from typing import Any, ClassVar

import numpy as np

from ...base.context import Context
from ...base.dtypes import code_of
from ...base.errors import ShapeError
from ...native.array import from_numpy, numpy_alias, zeros
from .base import BaseSparseNDArray
from .validation import check_csr, csr_indices

__all__ = ["CSRNDArray"]

_INT64 = code_of("int64")


class CSRNDArray(BaseSparseNDArray):
    """A matrix that stores its nonzero elements row by row.

    The values of row i are ``data[indptr[i]:indptr[i + 1]]``, in the columns
    ``indices[indptr[i]:indptr[i + 1]]``.

    Examples
    --------
    >>> from opforge import nd
    >>> x = nd.sparse.csr_matrix(([5, 7], [2, 0], [0, 1, 2]), shape=(2, 3))
    >>> x
    <BLANKLINE>
    <CSRNDArray 2x3 @cpu(0)>
    >>> x.asnumpy().tolist()
    [[0.0, 0.0, 5.0], [7.0, 0.0, 0.0]]
    """

    __slots__ = ("_bounds",)

    stype: ClassVar[str] = "csr"

    def __init__(self, data: Any, indices: Any, indptr: Any, shape: tuple[int, ...]) -> None:
        super().__init__(data, indices, shape)
        self._bounds = indptr

    @property
    def indptr(self) -> Any:
        """Start of each row among the values, and the end of the last row; an NDArray."""
        return self._bounds

    def _parts(self) -> tuple[Any, ...]:
        return self._values, self._bounds, self._indices

    @classmethod
    def _of_parts(cls, shape: tuple[int, ...], *parts: Any) -> Any:
        data, indptr, indices = parts
        return cls(data, indices, indptr, shape)

    @classmethod
    def _of_keys(cls, keys: Any, values: Any, shape: tuple[int, ...], ctx: Context) -> Any:
        """Return the matrix with NumPy `values` at the ascending flat indices `keys`."""
        rows, columns = np.divmod(keys, max(shape[1], 1))
        bounds = np.zeros(shape[0] + 1, np.int64)
        np.cumsum(np.bincount(rows, minlength=shape[0]), out=bounds[1:])
        return cls(
            from_numpy(np.ascontiguousarray(values), code_of(values.dtype), ctx),
            from_numpy(columns, _INT64, ctx),
            from_numpy(bounds, _INT64, ctx),
            shape,
        )

    def _keys(self) -> Any:
        """Return the flat indices of the stored values as a NumPy array."""
        columns, bounds = csr_indices(self)
        rows = np.repeat(np.arange(self.shape[0], dtype=np.int64), np.diff(bounds))
        return rows * self.shape[1] + columns

    def _take_parts(self, other: Any) -> None:
        self._values, self._bounds, self._indices = other._parts()

    @classmethod
    def _zeros(cls, shape: tuple[int, ...], dtype: Any, ctx: Context | None) -> Any:
        _expect_matrix(shape)
        data = zeros((0,), code_of(dtype), ctx)
        bounds = zeros((shape[0] + 1,), _INT64, ctx)
        return cls(data, zeros((0,), _INT64, ctx), bounds, shape)

    @classmethod
    def _from_dense(cls, dense: Any) -> Any:
        _expect_matrix(dense.shape)
        numbers = numpy_alias(dense).reshape(-1)
        keys = np.flatnonzero(numbers)
        return cls._of_keys(keys, numbers[keys], dense.shape, dense.context)

    def _dense(self) -> Any:
        keys, values = self._keys(), numpy_alias(self.data)
        result = zeros(self.shape, self.dtype_code, self.context)
        target = numpy_alias(result).reshape(-1)
        if (keys[1:] > keys[:-1]).all():
            target[keys] = values
        else:
            np.add.at(target, keys, values)  # values of repeated indices are summed
        return result

    def check_format(self, full_check: bool = True) -> None:
        """Raise an error if the parts are inconsistent; see `BaseSparseNDArray.check_format`."""
        check_csr(self, full_check)

    def asscipy(self) -> Any:
        """Return a `scipy.sparse.csr_matrix` with copies of the parts.

        Raises
        ------
        ImportError
            SciPy is not installed.
        """
        try:
            from scipy import sparse
        except ImportError as error:
            raise ImportError("CSRNDArray.asscipy returns a SciPy matrix: install scipy") from error
        csr_indices(self)
        data, indptr, indices = (part.asnumpy() for part in self._parts())
        return sparse.csr_matrix((data, indices, indptr), shape=self.shape, dtype=self.dtype)

    def __getitem__(self, key: Any) -> Any:
        """Return rows: ``x[i]``, a matrix of one row, or ``x[begin:end]``.

        Raises
        ------
        ValueError
            `key` is neither an int nor a slice, or has a step.
        """
        count = self.shape[0]
        if isinstance(key, (int, np.integer)):
            if not -count <= key < count:
                raise IndexError(f"CSRNDArray: index {key} is out of range for {count} rows")
            begin = int(key) % count
            return self._rows(begin, begin + 1)
        if not isinstance(key, slice):
            raise ValueError(f"CSRNDArray: x[i] and x[i:j] select rows, got the key {key!r:.60}")
        if key.step not in (None, 1):
            raise ValueError(
                f"CSRNDArray only supports continuous slicing on axis 0, got the step {key.step}"
            )
        begin, end, _ = key.indices(count)
        return self if (begin, end) == (0, count) else self._rows(begin, max(begin, end))

    def _rows(self, begin: int, end: int) -> Any:
        """Return the rows from `begin` up to, not including, `end`."""
        columns, bounds = csr_indices(self)
        first, last = bounds[begin], bounds[end]
        return CSRNDArray(
            from_numpy(numpy_alias(self.data)[first:last], self.dtype_code, self.context),
            from_numpy(columns[first:last], _INT64, self.context),
            from_numpy(bounds[begin : end + 1] - first, _INT64, self.context),
            (end - begin, self.shape[1]),
        )


def _expect_matrix(shape: tuple[int, ...]) -> None:
    if len(shape) != 2:
        raise ShapeError(
            f"To convert to a CSR, the NDArray should be 2 Dimensional. Current shape is {shape}"
        )
