"""Lookup of rows in row_sparse tables, for operators whose kernel is `Take`.

The cost of a batch is thus proportional to its rows, whatever the size of the table.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...base.dtypes import code_of
from ...native.array import Array, from_numpy, numpy_alias
from ...native.calls import Take
from ...native.dispatch import tape
from .row_sparse import RowSparseNDArray
from .validation import ascends, row_indices

__all__ = ["gathered"]

_INT64 = code_of("int64")


def gathered(prop: Any, given: Sequence[Any]) -> Any:
    """Return the rows with the given indices, recorded as part of the table's graph.

    Returns NotImplemented for other kernels, tables and indices.
    """
    kernel = getattr(prop, "compute", None)
    if not isinstance(kernel, Take) or kernel.mode == "raise" or len(given) != 2:
        return NotImplemented
    table, indices = (given[1], given[0]) if kernel.indices_first else given
    if not isinstance(table, RowSparseNDArray) or not isinstance(indices, Array):
        return NotImplemented
    shape = (*indices.shape, *table.shape[1:])
    if kernel.axis not in (0, -table.ndim) or table.shape[0] == 0 or not shape:
        return NotImplemented
    expected = prop.infer_shape([one.shape for one in given])[0]
    rows = row_indices(table)
    if [*map(tuple, expected)] != [one.shape for one in given] or not ascends(rows):
        return NotImplemented  # the dense operator raises the error, or sums repeated rows
    wanted = _row_numbers(indices.asnumpy(), table.shape[0], kernel.mode)
    result = from_numpy(_rows(table, rows, wanted), table.dtype_code, table.context)
    if tape.recording() and tape.leads(table):

        def gradient(grads: Any) -> Any:
            values = grads[0].reshape((wanted.size, *table.shape[1:]))
            return [RowSparseNDArray(values, flat, table.shape)]

        flat = from_numpy(wanted.reshape(-1), _INT64, table.context)
        tape.record_callback((table.stand_in,), [result], gradient)
    return result


def _row_numbers(numbers: Any, count: int, mode: str) -> Any:
    """Return row numbers in range, following the mode of `Take`."""
    if numbers.dtype.kind == "f":
        numbers = np.nan_to_num(np.trunc(numbers))
    numbers = np.mod(numbers, count) if mode == "wrap" else np.clip(numbers, 0, count - 1)
    return numbers.astype(np.int64)


def _rows(table: Any, rows: Any, wanted: Any) -> Any:
    """Return the rows `wanted` of a table that stores `rows`; others are zero."""
    values = numpy_alias(table.data)
    if len(rows) == table.shape[0]:
        return values[wanted]
    result = np.zeros((*wanted.shape, *table.shape[1:]), values.dtype)
    if len(rows):
        found = np.searchsorted(rows, wanted).clip(max=len(rows) - 1)
        is_stored = rows[found] == wanted
        result[is_stored] = values[found[is_stored]]
    return result
