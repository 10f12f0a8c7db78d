"""Creation of sparse arrays from their parts, dense arrays and SciPy matrices."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...base.context import Context
from ...base.dtypes import code_of, dtype_of
from ...base.errors import AttributeValueError, ShapeError
from ...base.integers import as_integers
from ...native.array import Array, from_numpy
from .. import creation as dense
from .base import BaseSparseNDArray
from .csr import CSRNDArray
from .row_sparse import RowSparseNDArray

__all__ = ["array", "csr_matrix", "empty", "row_sparse_array", "sparse_class", "zeros"]

_CLASSES: dict[str, type[BaseSparseNDArray]] = {
    cls.stype: cls for cls in (CSRNDArray, RowSparseNDArray)
}


def sparse_class(stype: Any) -> type[BaseSparseNDArray]:
    """Return the class of arrays of a storage type.

    Raises
    ------
    ValueError
        The storage type is unknown.
    """
    try:
        return _CLASSES[stype]
    except (KeyError, TypeError):
        known = ", ".join(["'default'", *map(repr, _CLASSES)])
        raise AttributeValueError(
            f"unknown storage type {stype!r}, expected one of {known}"
        ) from None


def zeros(
    stype: str, shape: Any, ctx: Context | None = None, dtype: Any = None, **kwargs: Any
) -> Any:
    """Return an array of zeros of a storage type.

    Parameters
    ----------
    stype : {"csr", "row_sparse", "default"}
    shape : tuple of int
    ctx : Context, optional
    dtype : optional
        Default float32.
    **kwargs
        Passed to `nd.zeros` for a dense array.

    Examples
    --------
    >>> zeros("csr", (1, 2)).asnumpy().tolist()
    [[0.0, 0.0]]
    """
    if stype == "default":
        return dense.zeros(shape, ctx, dtype, **kwargs)
    return sparse_class(stype)._zeros(_checked_shape(shape), dtype, ctx)


def empty(stype: str, shape: Any, ctx: Context | None = None, dtype: Any = None) -> Any:
    """Return an uninitialized array of a storage type; sparse arrays are zero."""
    if stype == "default":
        return dense.empty(shape, ctx, dtype)
    return zeros(stype, shape, ctx, dtype)


def array(source_array: Any, ctx: Context | None = None, dtype: Any = None) -> Any:
    """Return a copy of a sparse array or of a SciPy csr_matrix.

    Parameters
    ----------
    source_array : RowSparseNDArray, CSRNDArray or scipy.sparse.csr_matrix
        Columns of SciPy matrices are sorted, and repeated elements are summed.
    ctx : Context, optional
        Default: the current one.
    dtype : optional
        Default: the element type of the source.

    Raises
    ------
    ValueError
        `source_array` has another type; use ``tostype`` for dense arrays.
    """
    if isinstance(source_array, BaseSparseNDArray):
        copy = source_array.astype(source_array.dtype if dtype is None else dtype)
        return copy if ctx is None else copy.as_in_context(ctx)
    if getattr(source_array, "format", None) == "csr":
        return _from_scipy(source_array, ctx, dtype)
    raise ValueError(
        f"nd.sparse.array: unexpected source_array of type {type(source_array).__name__}, expected "
        "a sparse NDArray or a SciPy csr_matrix; use tostype() for a dense array"
    )


def csr_matrix(
    arg1: Any, shape: Any = None, ctx: Context | None = None, dtype: Any = None
) -> CSRNDArray:
    """Return a matrix in compressed sparse row format.

    Parameters
    ----------
    arg1 : array_like, CSRNDArray, scipy.sparse.csr_matrix or tuple
        An object with the elements; ``(rows, columns)``, for a matrix of zeros;
        ``(data, indices, indptr)``, its parts; or ``(data, (row, column))``, with indices in any
        order, whose values are summed if they repeat.
    shape : tuple of int, optional
        Default: the smallest shape that fits the parts.
    ctx : Context, optional
    dtype : optional
        Default: the element type of the source or its data, float32 for lists.

    Raises
    ------
    ValueError
        The parts have the wrong number of axes, or `shape` is not that of `arg1`. The
        values of indices are checked when they are used, and by `check_format`.

    Examples
    --------
    >>> csr_matrix(([1, 2], ([1, 0], [0, 1])), shape=(2, 2)).asnumpy().tolist()
    [[0, 2], [1, 0]]
    """
    if isinstance(arg1, tuple):
        if len(arg1) == 3:
            return _csr_of_parts(*arg1, shape, ctx, dtype)
        if len(arg1) != 2:
            raise ValueError(f"csr_matrix: unexpected length of the input tuple: {len(arg1)}")
        if isinstance(arg1[1], tuple):
            return _csr_of_coordinates(*arg1, shape, ctx, dtype)
    return _of_elements(CSRNDArray, "csr_matrix", arg1, shape, ctx, dtype)


def row_sparse_array(
    arg1: Any, shape: Any = None, ctx: Context | None = None, dtype: Any = None
) -> RowSparseNDArray:
    """Return a row_sparse array, which stores some of its rows.

    Parameters
    ----------
    arg1 : array_like, RowSparseNDArray or tuple
        An object with the elements; a shape, for an array of zeros; or ``(data, indices)``, rows
        and their indices.
    shape, ctx, dtype : optional
        As in `csr_matrix`.

    Raises
    ------
    ValueError
        The parts have the wrong number of axes, or `shape` is not that of `arg1`.

    Examples
    --------
    >>> row_sparse_array(([[1, 2]], [1]), shape=(2, 2)).asnumpy().tolist()
    [[0.0, 0.0], [1.0, 2.0]]
    """
    if isinstance(arg1, tuple) and len(arg1) == 2 and not _is_shape(arg1):
        return _row_sparse_of_parts(*arg1, shape, ctx, dtype)
    return _of_elements(RowSparseNDArray, "row_sparse_array", arg1, shape, ctx, dtype)


def _of_elements(
    cls: Any, function: str, source: Any, shape: Any, ctx: Context | None, dtype: Any
) -> Any:
    """Return an array of class `cls` from `source`, a shape or an object with elements."""
    if isinstance(source, tuple) and _is_shape(source):
        _expect_shape(function, _checked_shape(source), shape)
        return zeros(cls.stype, source, ctx, dtype)
    if isinstance(source, BaseSparseNDArray) and source.stype != cls.stype:
        raise ValueError(f"{function}: unexpected input type {type(source).__name__}")
    if hasattr(source, "shape"):
        _expect_shape(function, source.shape, shape)
    if isinstance(source, BaseSparseNDArray) or hasattr(source, "tocsr"):
        return array(source if isinstance(source, cls) else source.tocsr(), ctx, dtype)
    if dtype is None:
        dtype = _type_of(source)
    elements = dense.array(source, ctx, dtype)
    _expect_shape(function, elements.shape, shape)
    return cls._from_dense(elements)


def _csr_of_parts(
    data: Any, indices: Any, indptr: Any, shape: Any, ctx: Context | None, dtype: Any
) -> CSRNDArray:
    data, indices, indptr = (
        _part(data, ctx, dtype),
        _index_array(indices, ctx),
        _index_array(indptr, ctx),
    )
    if (data.ndim, indices.ndim, indptr.ndim) != (1, 1, 1) or indptr.size == 0:
        raise ShapeError(
            f"csr_matrix: invalid shape: data {data.shape}, indices {indices.shape} and indptr "
            f"{indptr.shape}, expected one axis each and at least one element of indptr"
        )
    if shape is None:
        if indices.size == 0:
            raise ShapeError("csr_matrix: invalid shape: without indices, pass shape=")
        shape = (indptr.size - 1, int(indices.asnumpy().max()) + 1)
    shape = _checked_shape(shape)
    if len(shape) != 2:
        raise ShapeError(f"csr_matrix: invalid shape {shape}, expected two axes")
    return CSRNDArray(data, indices, indptr, shape)


def _csr_of_coordinates(
    data: Any, indices: Any, shape: Any, ctx: Context | None, dtype: Any
) -> CSRNDArray:
    """Return the matrix with values at (row, column), summed where indices repeat."""
    # As in MXNet, lists have NumPy's types here, and are float32 in all other forms.
    values = np.asarray(data, dtype=None if dtype is None else dtype_of(code_of(dtype))).reshape(-1)
    rows, columns = (np.asarray(part).astype(np.int64).reshape(-1) for part in indices)
    if not len(rows) == len(columns) == len(values):
        raise ShapeError(
            f"csr_matrix: got {len(values)} values, {len(rows)} rows and {len(columns)} columns, "
            "expected equal numbers"
        )
    if shape is None:
        if not len(rows):
            raise ShapeError("csr_matrix: invalid shape: without indices, pass shape=")
        shape = (rows.max() + 1, columns.max() + 1)
    shape = _checked_shape(shape)
    for axis, found in enumerate((rows, columns)):
        if len(found) and (found.min() < 0 or found.max() >= shape[axis]):
            raise ShapeError(
                f"csr_matrix: indices {found.min()} to {found.max()} of axis {axis} do not fit the "
                f"shape {shape}"
            )
    keys, inverse = np.unique(rows * shape[1] + columns, return_inverse=True)
    sums = np.zeros(len(keys), values.dtype)
    np.add.at(sums, inverse.reshape(-1), values)
    return CSRNDArray._of_keys(keys, sums, shape, _context(ctx))


def _row_sparse_of_parts(
    data: Any, indices: Any, shape: Any, ctx: Context | None, dtype: Any
) -> RowSparseNDArray:
    data, indices = _part(data, ctx, dtype), _index_array(indices, ctx)
    if shape is None:
        if indices.size == 0 or indices.ndim != 1:
            raise ShapeError("row_sparse_array: invalid shape: without indices, pass shape=")
        shape = (int(indices.asnumpy()[-1]) + 1, *data.shape[1:])
    shape = _checked_shape(shape)
    if (
        data.ndim != len(shape)
        or indices.ndim != 1
        or data.shape != (indices.size, *shape[1:])
        or 0 in shape[1:]
    ):
        raise ShapeError(
            f"row_sparse_array: invalid shape: data {data.shape} and indices {indices.shape} for "
            f"an array of shape {shape}, expected data of shape {(indices.size, *shape[1:])}"
        )
    return RowSparseNDArray(data, indices, shape)


def _from_scipy(matrix: Any, ctx: Context | None, dtype: Any) -> Any:
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    kind = matrix.dtype if dtype is None else dtype
    return _csr_of_parts(matrix.data, matrix.indices, matrix.indptr, matrix.shape, ctx, kind)


def _part(values: Any, ctx: Context | None, dtype: Any) -> Any:
    return dense.array(values, ctx, _type_of(values) if dtype is None else dtype)


def _index_array(values: Any, ctx: Context | None) -> Any:
    """Return indices as an NDArray of int64, converted exactly."""
    numbers = np.asarray(values.asnumpy() if isinstance(values, Array) else values)
    return from_numpy(numbers.astype(np.int64), code_of("int64"), _context(ctx))


def _context(ctx: Context | None) -> Any:
    from ...base.context import current_context

    return current_context() if ctx is None else ctx


def _type_of(source: Any) -> Any:
    """Return the element type of an array made from `source`: float32 for lists."""
    return getattr(source, "dtype", None) or np.float32


def _is_shape(source: Sequence[Any]) -> bool:
    return all(isinstance(size, (int, np.integer)) for size in source)


def _checked_shape(shape: Any) -> tuple[int, ...]:
    """Return a shape as a tuple of int; raise if a size is negative."""
    sizes = as_integers(shape if hasattr(shape, "__len__") else [shape], "shape")
    if any(size < 0 for size in sizes):
        raise ShapeError(f"shape {sizes} has a negative dimension")
    return sizes


def _expect_shape(function: str, got: Any, shape: Any) -> None:
    if shape is not None and tuple(got) != _checked_shape(shape):
        raise ShapeError(f"{function}: the source has shape {tuple(got)}, shape= is {shape}")
