"""Sums, means and norms of sparse arrays, which are dense except for `_square_sum` of rows."""

from math import prod
from typing import Any

import numpy as np

from ...base.dtypes import code_of
from ...native.array import from_numpy, numpy_alias
from .._operators import operators
from .arithmetic import summed_rows
from .csr import CSRNDArray
from .row_sparse import RowSparseNDArray
from .validation import csr_indices, row_indices

__all__ = ["getnnz", "norm", "reduced", "square_sum"]


def reduced(prop: Any, data: Any) -> Any:
    """Return the sum or the mean of a sparse array over one axis or all."""
    axes = _axes(prop, data.ndim)
    if axes is None or prop.keepdims or np.dtype(data.dtype).kind != "f":
        return NotImplemented
    total = _sum(data, axes)
    if total is NotImplemented or prop.name == "sum":
        return total
    return total / prod(data.shape[axis] for axis in axes)


def norm(prop: Any, data: Any) -> Any:
    """Return the norm of all elements of a sparse array without repeated indices."""
    axes = _axes(prop, data.ndim)
    is_full = axes is not None and len(axes) == data.ndim
    if not is_full or prop.keepdims or prop.out_dtype is not None or not _is_canonical(data):
        return NotImplemented
    return operators().norm(data.data, ord=prop.ord)


def getnnz(prop: Any, data: Any) -> Any:
    """Return the number of values of a csr matrix: in total, per column, or per row."""
    if not isinstance(data, CSRNDArray):
        return NotImplemented
    columns, bounds = csr_indices(data)
    (shape,) = prop.infer_shape([data.shape])[1]
    if prop.axis is None:
        counts = bounds[-1:]
    elif prop.axis % 2:
        counts = np.diff(bounds)
    else:
        counts = np.bincount(columns, minlength=shape[0])
    return from_numpy(counts.astype(np.int64), code_of("int64"), data.context)


def square_sum(prop: Any, data: Any) -> Any:
    """Return sums of squares of a row_sparse matrix; row_sparse per row with `keepdims`."""
    if not isinstance(data, RowSparseNDArray) or data.ndim != 2:
        return NotImplemented
    axes, nd = _axes(prop, 2), operators()
    data = summed_rows([data])
    if axes == (1,) and prop.keepdims:
        sums = nd.sum(nd.square(data.data), axis=1, keepdims=True)
        return RowSparseNDArray(sums, data.indices.copy(), (data.shape[0], 1))
    if axes is None or prop.keepdims:
        return NotImplemented
    return _sum(data._with_data(nd.square(data.data)), axes)


def _axes(prop: Any, ndim: int) -> tuple[int, ...] | None:
    """Return the axes to reduce, ascending; None if a dense call is better."""
    given = prop.axis
    if getattr(prop, "exclude", False):
        return None
    if given is None or given == ():
        return tuple(range(ndim))
    axes = (given,) if isinstance(given, int) else tuple(given)
    if any(not -ndim <= axis < ndim for axis in axes):
        return None
    return tuple(sorted({axis % ndim for axis in axes}))


def _sum(data: Any, axes: tuple[int, ...]) -> Any:
    nd = operators()
    if len(axes) == data.ndim:
        data.check_format(full_check=False)
        return nd.sum(data.data) if data.data.size else nd.zeros((1,), data.context, data.dtype)
    if isinstance(data, CSRNDArray):
        return _csr_sum(data, axes[0])
    if axes == (0,):
        row_indices(data)
        return nd.sum(data.data, axis=0)
    if axes == tuple(range(1, data.ndim)):
        data = summed_rows([data])
        sums = nd.zeros((data.shape[0],), data.context, data.dtype)
        numpy_alias(sums)[row_indices(data)] = nd.sum(data.data, axis=axes).asnumpy()
        return sums
    return NotImplemented


def _csr_sum(data: Any, axis: int) -> Any:
    columns, bounds = csr_indices(data)
    positions = columns
    if axis == 1:
        positions = np.repeat(np.arange(data.shape[0]), np.diff(bounds))
    sums = np.bincount(positions, numpy_alias(data.data), data.shape[1 - axis])
    return from_numpy(sums, data.dtype_code, data.context)


def _is_canonical(data: Any) -> bool:
    positions = data._keys() if isinstance(data, CSRNDArray) else row_indices(data)
    return bool((positions[1:] > positions[:-1]).all())
