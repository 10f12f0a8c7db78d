"""Rows of row-sparse tables by number: what operators do whose kernel is `Take`.

So a batch costs as much as the rows that it names, however many the table has.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...base.dtypes import code_of
from ...native.array import Array, from_numpy, numpy_alias
from ...native.calls import Take
from ...native.dispatch import tape
from .checking import row_places
from .row_sparse import RowSparseNDArray

__all__ = ["gathered"]

_INT64 = code_of("int64")


def gathered(prop: Any, given: Sequence[Any]) -> Any:
    """Return the rows that indices name; part of the graph that the table belongs to.

    NotImplemented for kernels, tables and indices of other kinds.
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
    rows = row_places(table)
    if [*map(tuple, expected)] != [one.shape for one in given] or not _ascends(rows):
        return NotImplemented  # the dense operator says what is wrong, or adds rows that meet
    places = _places(indices.asnumpy(), table.shape[0], kernel.mode)
    result = from_numpy(_rows(table, rows, places), table.dtype_code, table.context)
    if tape.recording() and tape.leads(table):

        def gradient(grads: Any) -> Any:
            values = grads[0].reshape((places.size, *table.shape[1:]))
            return [RowSparseNDArray(values, flat, table.shape)]

        flat = from_numpy(places.reshape(-1), _INT64, table.context)
        tape.record_callback((table.stand_in,), [result], gradient)
    return result


def _ascends(rows: Any) -> bool:
    return bool((rows[1:] > rows[:-1]).all())


def _places(numbers: Any, count: int, mode: str) -> Any:
    """Return numbers of rows in range, as `Take` understands them."""
    if numbers.dtype.kind == "f":
        numbers = np.nan_to_num(np.trunc(numbers))
    numbers = np.mod(numbers, count) if mode == "wrap" else np.clip(numbers, 0, count - 1)
    return numbers.astype(np.int64)


def _rows(table: Any, rows: Any, places: Any) -> Any:
    """Return the table's rows at `places`: zeros where `rows`, those that are stored, lack one."""
    values = numpy_alias(table.data)
    if len(rows) == table.shape[0]:
        return values[places]
    result = np.zeros((*places.shape, *table.shape[1:]), values.dtype)
    if len(rows):
        at = np.searchsorted(rows, places).clip(max=len(rows) - 1)
        is_stored = rows[at] == places
        result[is_stored] = values[at[is_stored]]
    return result
