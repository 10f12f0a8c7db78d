"""Consistency checks of the parts of a sparse array.

Anybody may make such an array from indices of their own, so that nothing reads or writes by them
before `row_places` or `csr_places` has looked.
"""

from typing import Any, NoReturn

import numpy as np

from ...base.errors import OpforgeError
from ...native.array import numpy_alias

#: So that the number of an element in row-major order is an int64.
_MOST_ELEMENTS = 1 << 62

__all__ = ["check_csr", "check_row_sparse", "csr_places", "row_places"]


def row_places(array: Any) -> Any:
    """Return the row numbers of a row-sparse array as NumPy's, all of them in range.

    Raises
    ------
    OpforgeError
        One is not, or there is not one for each row of the data.
    """
    _expect_vectors(array, array.indices)
    rows = numpy_alias(array.indices)
    count, data = (array.shape or (0,))[0], array.data
    if data.shape != (len(rows), *array.shape[1:]):
        _refuse(
            array,
            f"there are {len(rows)} indices and data of shape {data.shape}, expected "
            f"{(len(rows), *array.shape[1:])}",
        )
    _expect_range(array, rows, count, "rows")
    return rows


def csr_places(array: Any) -> tuple[Any, Any]:
    """Return the column numbers and row boundaries of a csr array as NumPy's, all in range.

    Raises
    ------
    OpforgeError
        A column is out of range, or the boundaries do not rise from 0 to the number of values.
    """
    if array.ndim != 2 or array.size > _MOST_ELEMENTS:
        _refuse(array, f"expected two axes and at most {_MOST_ELEMENTS} elements")
    _expect_vectors(array, array.data, array.indices, array.indptr)
    columns, bounds = numpy_alias(array.indices), numpy_alias(array.indptr)
    rows, width = array.shape
    if len(bounds) != rows + 1:
        _refuse(array, f"indptr has {len(bounds)} elements, expected {rows + 1} for {rows} rows")
    if len(columns) != array.data.size:
        _refuse(array, f"there are {len(columns)} indices for {array.data.size} values")
    if bounds[0] != 0 or bounds[-1] != len(columns) or (bounds[1:] < bounds[:-1]).any():
        _refuse(
            array,
            f"indptr leads from {bounds[0]} to {bounds[-1]}, expected numbers that rise from 0 to "
            f"{len(columns)}, the number of indices",
        )
    _expect_range(array, columns, width, "columns")
    return columns, bounds


def check_row_sparse(array: Any, full: bool) -> None:
    """Raise OpforgeError where parts do not fit; where `full`, also where rows do not ascend."""
    rows = row_places(array)
    if full and (rows[1:] <= rows[:-1]).any():
        _refuse(array, "the indices do not ascend")


def check_csr(array: Any, full: bool) -> None:
    """Raise OpforgeError where parts do not fit; where `full`, also where columns do not ascend."""
    columns, bounds = csr_places(array)
    if full and len(columns) > 1:
        falls = columns[1:] <= columns[:-1]
        begins = bounds[1:-1]
        falls[begins[(begins > 0) & (begins < len(columns))] - 1] = False  # another row begins
        if falls.any():
            _refuse(array, "the indices of a row do not ascend")


def _expect_vectors(array: Any, *parts: Any) -> None:
    if any(part.ndim != 1 for part in parts):
        _refuse(array, f"its parts have shapes {[part.shape for part in parts]}, expected one axis")


def _expect_range(array: Any, places: Any, length: int, what: str) -> None:
    if len(places) and (int(places.min()) < 0 or int(places.max()) >= length):
        wrong = places[(places < 0) | (places >= length)][0]
        _refuse(array, f"the index {wrong} is out of range, expected 0 to {length - 1}: {what}")


def _refuse(array: Any, what: str) -> NoReturn:
    kind = np.dtype(array.dtype).name
    raise OpforgeError(
        f"the {array.stype} array of shape {array.shape} and type {kind} is malformed: {what}; "
        "see check_format"
    )
