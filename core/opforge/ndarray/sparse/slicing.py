"""Row selection and slices of sparse arrays, and concatenation of csr matrices."""

from typing import Any

import numpy as np

from ...base.dtypes import code_of
from ...base.errors import OpforgeError
from ...native.array import Array, from_numpy, numpy_alias
from .csr import CSRNDArray
from .row_sparse import RowSparseNDArray
from .validation import ascends, csr_indices, row_indices

__all__ = ["concat", "retain", "slice_csr", "take"]

_INT64 = code_of("int64")


def retain(prop: Any, data: Any, indices: Any) -> Any:
    """Return a row_sparse array with only those rows that are listed in `indices`."""
    if not isinstance(data, RowSparseNDArray) or not isinstance(indices, Array):
        raise OpforgeError(
            f"operator '_sparse_retain': data is {data.stype} and indices {indices.stype}, "
            "expected row_sparse and default"
        )
    rows = row_indices(data)
    wanted = np.unique(indices.asnumpy().astype(np.int64))
    if ascends(rows):
        kept = np.searchsorted(rows, wanted)
        kept = kept[kept < len(rows)]
        kept = kept[np.isin(rows[kept], wanted)]
    else:
        kept = np.flatnonzero(np.isin(rows, wanted))
    return RowSparseNDArray(
        from_numpy(numpy_alias(data.data)[kept], data.dtype_code, data.context),
        from_numpy(rows[kept], _INT64, data.context),
        data.shape,
    )


def slice_csr(prop: Any, data: Any) -> Any:
    """Return rows or a block of a csr matrix."""
    if not isinstance(data, CSRNDArray) or any(step not in (None, 1) for step in prop.step or ()):
        return NotImplemented
    limits = zip(prop.begin, prop.end, data.shape, strict=False)
    spans = [slice(begin, end).indices(size)[:2] for begin, end, size in limits]
    if any(begin >= end for begin, end in spans):
        return NotImplemented  # the dense operator raises the error
    rows = data._rows(*spans[0])
    if len(spans) == 1 or spans[1] == (0, data.shape[1]):
        return rows
    begin, end = spans[1]
    keys = rows._keys()
    at, columns = np.divmod(keys, max(data.shape[1], 1))
    inside = np.flatnonzero((columns >= begin) & (columns < end))
    width = end - begin
    return CSRNDArray._of_keys(
        at[inside] * width + columns[inside] - begin,
        numpy_alias(rows.data)[inside],
        (rows.shape[0], width),
        data.context,
    )


def take(prop: Any, data: Any, indices: Any) -> Any:
    """Return the rows of a csr matrix with the given indices."""
    if not isinstance(data, CSRNDArray) or prop.axis != 0 or prop.mode == "raise":
        return NotImplemented
    if not isinstance(indices, Array) or indices.ndim != 1 or data.shape[0] == 0:
        return NotImplemented
    columns, bounds = csr_indices(data)
    wanted = indices.asnumpy().astype(np.int64)
    count = data.shape[0]
    wanted = wanted % count if prop.mode == "wrap" else wanted.clip(0, count - 1)
    lengths = np.diff(bounds)[wanted]
    starts = np.zeros(len(wanted) + 1, np.int64)
    np.cumsum(lengths, out=starts[1:])
    positions = np.arange(starts[-1]) + np.repeat(bounds[wanted] - starts[:-1], lengths)
    return CSRNDArray(
        from_numpy(numpy_alias(data.data)[positions], data.dtype_code, data.context),
        from_numpy(columns[positions], _INT64, data.context),
        from_numpy(starts, _INT64, data.context),
        (len(wanted), data.shape[1]),
    )


def concat(prop: Any, *arrays: Any) -> Any:
    """Return csr matrices concatenated along their rows."""
    first = arrays[0]
    if prop.dim != 0 or not all(
        isinstance(one, CSRNDArray)
        and one.shape[1] == first.shape[1]
        and one.dtype_code == first.dtype_code
        for one in arrays
    ):
        return NotImplemented
    counts = np.cumsum([0, *(one.data.size for one in arrays)])
    positions = [csr_indices(one) for one in arrays]
    bounds = [bounds[1:] + count for (_, bounds), count in zip(positions, counts[:-1], strict=True)]
    values = np.concatenate([numpy_alias(one.data) for one in arrays])
    return CSRNDArray(
        from_numpy(values, first.dtype_code, first.context),
        from_numpy(np.concatenate([columns for columns, _ in positions]), _INT64, first.context),
        from_numpy(np.concatenate([np.zeros(1, np.int64), *bounds]), _INT64, first.context),
        (sum(one.shape[0] for one in arrays), first.shape[1]),
    )
