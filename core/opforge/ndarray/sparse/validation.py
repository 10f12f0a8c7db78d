"""Validation of the parts of a sparse array.

Users may create such arrays from arbitrary indices, so nothing accesses memory by them before
`row_indices` or `csr_indices` has validated them.
"""

from typing import Any, NoReturn

import numpy as np

from ...base.errors import OpforgeError
from ...native.array import numpy_alias

#: Bound that keeps flat element indices in row-major order within int64.
_MOST_ELEMENTS = 1 << 62

__all__ = ["ascends", "check_csr", "check_row_sparse", "csr_indices", "row_indices"]


def row_indices(array: Any) -> Any:
    """Return the validated row indices of a row_sparse array as a NumPy array.

    Raises
    ------
    OpforgeError
        An index is out of range, or their number differs from the number of rows of the data.
    """
    _expect_vectors(array, array.indices)
    rows = numpy_alias(array.indices)
    count, data = (array.shape or (0,))[0], array.data
    if data.shape != (len(rows), *array.shape[1:]):
        _reject(
            array,
            f"it has {len(rows)} indices and data of shape {data.shape}, expected "
            f"{(len(rows), *array.shape[1:])}",
        )
    _expect_range(array, rows, count, "rows")
    return rows


def ascends(rows: Any) -> bool:
    """Return whether row indices ascend, as they do but in arrays that programs compose."""
    return bool((rows[1:] > rows[:-1]).all())


def csr_indices(array: Any) -> tuple[Any, Any]:
    """Return the validated column indices and row boundaries of a csr array as NumPy arrays.

    Raises
    ------
    OpforgeError
        A column is out of range, or the boundaries do not ascend from 0 to the number of values.
    """
    if array.ndim != 2 or array.size > _MOST_ELEMENTS:
        _reject(array, f"expected two axes and at most {_MOST_ELEMENTS} elements")
    _expect_vectors(array, array.data, array.indices, array.indptr)
    columns, bounds = numpy_alias(array.indices), numpy_alias(array.indptr)
    rows, width = array.shape
    if len(bounds) != rows + 1:
        _reject(array, f"indptr has {len(bounds)} elements, expected {rows + 1} for {rows} rows")
    if len(columns) != array.data.size:
        _reject(array, f"it has {len(columns)} indices for {array.data.size} values")
    if bounds[0] != 0 or bounds[-1] != len(columns) or (bounds[1:] < bounds[:-1]).any():
        _reject(
            array,
            f"indptr leads from {bounds[0]} to {bounds[-1]}, expected ascending numbers from 0 to "
            f"{len(columns)}, the number of indices",
        )
    _expect_range(array, columns, width, "columns")
    return columns, bounds


def check_row_sparse(array: Any, full: bool) -> None:
    """Raise OpforgeError if the parts are inconsistent or, if `full`, rows do not ascend."""
    rows = row_indices(array)
    if full and (rows[1:] <= rows[:-1]).any():
        _reject(array, "the indices do not ascend")


def check_csr(array: Any, full: bool) -> None:
    """Raise OpforgeError if the parts are inconsistent or, if `full`, columns do not ascend."""
    columns, bounds = csr_indices(array)
    if full and len(columns) > 1:
        falls = columns[1:] <= columns[:-1]
        begins = bounds[1:-1]
        falls[begins[(begins > 0) & (begins < len(columns))] - 1] = False  # next row begins
        if falls.any():
            _reject(array, "the indices of a row do not ascend")


def _expect_vectors(array: Any, *parts: Any) -> None:
    if any(part.ndim != 1 for part in parts):
        _reject(array, f"its parts have shapes {[part.shape for part in parts]}, expected one axis")


def _expect_range(array: Any, indices: Any, length: int, what: str) -> None:
    if len(indices) and (int(indices.min()) < 0 or int(indices.max()) >= length):
        wrong = indices[(indices < 0) | (indices >= length)][0]
        _reject(array, f"the index {wrong} is out of range, expected 0 to {length - 1}: {what}")


def _reject(array: Any, what: str) -> NoReturn:
    kind = np.dtype(array.dtype).name
    raise OpforgeError(
        f"the {array.stype} array of shape {array.shape} and type {kind} is malformed: {what}; "
        "see check_format"
    )
